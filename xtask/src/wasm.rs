//! `cargo xtask wasm`: the engine for web pages, and the JavaScript that speaks with it, in `web/engine/pkg`.
//!
//! The program that makes the JavaScript is a crate outside of the workspace (`web/engine/bindgen`), so that nobody compiles it who does
//! not need it; it is built once, in `target/bindgen`.

use std::process::Command;

use crate::part::Part;
use crate::{Result, root, run_command, say, web};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds it. The profile `web` is small, `ci` is soon there.
pub(crate) fn build(profile: &str) -> Result<()> {
    let cargo = || {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(root());
        command
    };
    run_command(cargo().args([
        "build",
        "--profile",
        profile,
        "--target",
        TARGET,
        "--package",
        "engross-wasm",
    ]))?;
    let module = target().join(TARGET).join(profile).join("engross_wasm.wasm");
    let out = root().join("web/engine/pkg");
    let manifest = root().join("web/engine/bindgen/Cargo.toml");
    let mut bindgen = cargo();
    bindgen.args(["run", "--quiet", "--locked", "--manifest-path"]).arg(&manifest);
    bindgen.arg("--target-dir").arg(target().join("bindgen")).arg("--").arg(&module).arg(&out);
    run_command(&mut bindgen)?;
    // The worker is for pages; without Node nobody has a use for it.
    if Part::Node.is_there() {
        web::worker()?;
    }
    let bytes =
        std::fs::metadata(out.join("engross_wasm_bg.wasm")).map(|file| file.len()).unwrap_or_default();
    say(&format!("web/engine/pkg: {bytes} bytes of WebAssembly"));
    Ok(())
}

/// Where cargo builds.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn target() -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), std::path::PathBuf::from)
}
