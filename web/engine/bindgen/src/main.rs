//! `engross-bindgen MODULE.wasm FOLDER`: the JavaScript of a module that `crates/wasm` was built to.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("give a module and a folder");
        return ExitCode::from(2);
    };
    let made = Bindgen::new().input_path(module).web(true).and_then(|made| {
        made.typescript(true).remove_name_section(true).remove_producers_section(true).generate(folder)
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem:#}");
            ExitCode::FAILURE
        }
    }
}
