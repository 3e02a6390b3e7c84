//! `engross-rpm DESCRIPTION.json PACKAGE.rpm`: a package of Red Hat as the description says.
//!
//! Must never take a date, a name of a machine or an owner from where it runs.

use std::error::Error;
use std::process::ExitCode;

use rpm::{BuildConfig, CompressionType, Dependency, FileOptions, PackageBuilder};
use serde_json::Value;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(description), Some(package)) = (arguments.next(), arguments.next()) else {
        eprintln!("give a description and the package to write");
        return ExitCode::from(2);
    };
    match write(&description.to_string_lossy(), &package.to_string_lossy()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(description: &str, package: &str) -> Result<(), Box<dyn Error>> {
    let described: Value = serde_json::from_slice(&std::fs::read(description)?)?;
    let text = |key: &str| described[key].as_str().ok_or_else(|| format!("{description} has no {key}"));
    let epoch = u32::try_from(described["epoch"].as_u64().ok_or("no date")?)?;
    let mut builder = PackageBuilder::new(
        text("name")?,
        text("version")?,
        text("license")?,
        text("architecture")?,
        text("summary")?,
    );
    builder.using_config(BuildConfig::v4().compression(CompressionType::Gzip).source_date(epoch));
    builder.description(text("description")?).packager(text("packager")?).build_host("localhost");
    for name in described["requires"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        builder.requires(Dependency::any(name));
    }
    for file in described["files"].as_array().into_iter().flatten() {
        let (path, from) = (file["path"].as_str().ok_or("no path")?, file["from"].as_str().ok_or("no file")?);
        let mode = u16::try_from(file["mode"].as_u64().ok_or("no mode")?)?;
        let options = FileOptions::new(path).permissions(mode).user("root").group("root").modified_at(epoch.into());
        builder.with_file_contents(std::fs::read(from)?, options)?;
    }
    builder.build()?.write_file(package)?;
    Ok(())
}
