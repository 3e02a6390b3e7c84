//! `/` and `/assets/…`: the workbench, the page for people. Its files are built from `web/workbench` by `cargo xtask web`.
//!
//! Must never put into a file what a request says: the same bytes go to everybody, without a token.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;

use super::page_file::PageFile;

/// The page.
pub(crate) const PAGE: &str = "/";
/// Its program.
pub(crate) const SCRIPT: &str = "/assets/workbench.js";
/// Its appearance.
pub(crate) const STYLE: &str = "/assets/workbench.css";

/// What the page may do: load what this server has, show pictures of documents, and nothing else. Markup from text has to go through the
/// one policy `engross-document`, which gives it to a parser and never to the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types engross-document";

static PAGE_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new("text/html; charset=utf-8", POLICY, include_bytes!("../../assets/workbench.html"))
});
static SCRIPT_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new("text/javascript; charset=utf-8", POLICY, include_bytes!("../../assets/workbench.js"))
});
static STYLE_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new("text/css; charset=utf-8", POLICY, include_bytes!("../../assets/workbench.css"))
});

/// The page for people.
pub(crate) async fn page(asked: HeaderMap) -> Response {
    PAGE_FILE.response(&asked)
}

/// Its program.
pub(crate) async fn script(asked: HeaderMap) -> Response {
    SCRIPT_FILE.response(&asked)
}

/// Its appearance.
pub(crate) async fn style(asked: HeaderMap) -> Response {
    STYLE_FILE.response(&asked)
}
