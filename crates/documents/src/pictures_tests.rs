use std::collections::BTreeSet;

use engross_docx::ops::parse_batch;
use engross_store::files::Root;
use serde_json::json;

use crate::pictures_of;

#[test]
#[expect(clippy::disallowed_methods, reason = "makes the folder that is read")]
fn only_files_beneath_the_folder_are_read() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("work");
    std::fs::create_dir_all(folder.join("img")).unwrap();
    std::fs::write(folder.join("img/a plan.png"), b"plan").unwrap();
    std::fs::write(folder.join("logo.gif"), b"logo").unwrap();
    std::fs::write(outer.path().join("secret.png"), b"secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.path().join("secret.png"), folder.join("link.png")).unwrap();
    let batch = parse_batch(&json!([
        {"op": "insert_paragraph", "after": 1, "content": "![Plan](img/a%20plan.png) ![](../secret.png) ![](link.png)"},
        {"op": "insert_image", "after": 1, "file": "./logo.gif"},
        {"op": "insert_image", "after": 1, "file": "https://example.com/logo.gif"},
        {"op": "insert_image", "after": 1, "data": "R0lGODdh"},
    ]));
    let names: BTreeSet<String> =
        pictures_of(&Root::open(&folder).unwrap().top(), &batch.unwrap().operations).into_keys().collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["./logo.gif", "img/a%20plan.png"]);
}
