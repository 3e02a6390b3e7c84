//! LibreOffice as a second reader of what engross writes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Error, Result, root, run_command};

/// Has LibreOffice open a redline of the example and compares the accepted text it shows.
pub(crate) fn case_143_opens_and_accepts_the_same_text(engine: &Path, soffice: &str) -> Result<()> {
    let folder = root().join("target/office");
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    let (redline, accepted) = (folder.join("redline.docx"), folder.join("accepted.docx"));
    let example = root().join("examples/nda.docx");
    let operations = root().join("examples/operations/nda.json");
    run_command(
        Command::new(engine)
            .arg("apply")
            .arg(&example)
            .arg(&operations)
            .arg("-o")
            .arg(&redline)
            .stdout(Stdio::null()),
    )?;
    run_command(
        Command::new(engine).arg("accept").arg(&redline).arg("-o").arg(&accepted).stdout(Stdio::null()),
    )?;
    for document in [&redline, &accepted] {
        run_command(
            Command::new(soffice)
                .args(["--headless", "--convert-to", "txt:Text", "--outdir"])
                .arg(&folder)
                .arg(document)
                .stdout(Stdio::null()),
        )?;
    }
    let text = |name: &str| -> Result<String> {
        let path = folder.join(name);
        #[expect(clippy::disallowed_methods, reason = "a chore reads a file it made")]
        fs::read_to_string(&path).map_err(Error::file(&path))
    };
    let accepted = text("accepted.txt")?;
    let wanted = ["runs for five (5) years", "the law of Scotland", "keep a list of the people"];
    let gone = ["runs for three (3) years", "the law of Ireland", "For the avoidance of doubt"];
    if wanted.iter().all(|phrase| accepted.contains(phrase))
        && !gone.iter().any(|phrase| accepted.contains(phrase))
    {
        return Ok(());
    }
    Err(Error::Missed("LibreOffice shows another text of the accepted example".to_owned()))
}
