//! The tables of fields in `docs/guide/operations`, from the table of operations in `docx`.
//!
//! That pages and table agree is checked by `crates/docx/tests/docx/guide.rs`.

use engross_docx::ops::field_tables;

use crate::{Error, Result, root, say};

const HEADING: &str = "## Fields\n\n";

/// Writes the table of each page that differs.
#[expect(clippy::disallowed_methods, reason = "a chore writes files of the repository")]
pub(super) fn write() -> Result<()> {
    for (name, table) in field_tables() {
        let path = root().join("docs/guide/operations").join(format!("{name}.md"));
        let page = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        let new = with_table(&page, &table);
        if new != page {
            std::fs::write(&path, new).map_err(Error::file(&path))?;
            say(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// The page with `table` in the place of the lines of its table.
fn with_table(page: &str, table: &str) -> String {
    let Some((before, after)) = page.split_once(HEADING) else { return page.to_owned() };
    let rest: String = after.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
    format!("{before}{HEADING}{table}{rest}")
}

#[cfg(test)]
mod tests {
    use super::with_table;

    #[test]
    fn what_people_wrote_stays() {
        let page = "# a\n\n## Fields\n\n| old |\n|---|\n| x |\n\nMore.\n";
        assert_eq!(with_table(page, "| new |\n"), "# a\n\n## Fields\n\n| new |\n\nMore.\n");
        assert_eq!(with_table("# a\n", "| new |\n"), "# a\n");
    }
}
