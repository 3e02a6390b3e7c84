//! `/word/…`: the pane of Word. Its files are built from `web/taskpane` by `cargo xtask web`; the engine that it runs by `cargo xtask wasm`,
//! and it is here with the feature `word-engine` only.
//!
//! Must never let the pane run anything but its own program, the engine and the script of Word's vendor.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;

use super::page_file::PageFile;
use crate::error::Error;

/// The pane.
pub(crate) const PAGE: &str = "/word/";

/// What the pane may do: load what this server has, and the script that Word's interface is; that one loads others of its own, which the
/// one policy `default` admits by their address. Word shows the pane in a frame, so that nothing is said of those.
const POLICY: &str = "default-src 'none'; script-src 'self' https://appsforoffice.microsoft.com 'wasm-unsafe-eval'; worker-src 'self'; \
    connect-src 'self' https://appsforoffice.microsoft.com; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; \
    form-action 'none'; require-trusted-types-for 'script'; trusted-types default";

const SCRIPT: &str = "text/javascript; charset=utf-8";

static PAGE_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new("text/html; charset=utf-8", POLICY, include_bytes!("../../assets/taskpane.html"))
});
static POLICY_FILE: LazyLock<PageFile> =
    LazyLock::new(|| PageFile::new(SCRIPT, POLICY, include_bytes!("../../assets/policy.js")));
static SCRIPT_FILE: LazyLock<PageFile> =
    LazyLock::new(|| PageFile::new(SCRIPT, POLICY, include_bytes!("../../assets/taskpane.js")));
static STYLE_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new("text/css; charset=utf-8", POLICY, include_bytes!("../../assets/taskpane.css"))
});
/// The icons that its manifest names, by their width.
const ICON_BYTES: [(&str, &[u8]); 5] = [
    ("icon-16.png", include_bytes!("../../../../web/taskpane/icons/icon-16.png")),
    ("icon-32.png", include_bytes!("../../../../web/taskpane/icons/icon-32.png")),
    ("icon-64.png", include_bytes!("../../../../web/taskpane/icons/icon-64.png")),
    ("icon-80.png", include_bytes!("../../../../web/taskpane/icons/icon-80.png")),
    ("icon-192.png", include_bytes!("../../../../web/taskpane/icons/icon-192.png")),
];
static ICONS: LazyLock<[(&str, PageFile); 5]> =
    LazyLock::new(|| ICON_BYTES.map(|(name, bytes)| (name, PageFile::new("image/png", POLICY, bytes))));
#[cfg(feature = "word-engine")]
static WORKER_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new(SCRIPT, POLICY, include_bytes!("../../../../web/engine/pkg/engine-worker.js"))
});
#[cfg(feature = "word-engine")]
static MODULE_FILE: LazyLock<PageFile> = LazyLock::new(|| {
    PageFile::new(
        "application/wasm",
        POLICY,
        include_bytes!("../../../../web/engine/pkg/engross_wasm_bg.wasm"),
    )
});

/// The files of the engine, which a pane on a web server needs beside it.
pub const ENGINE_FILES: [&str; 2] = ["engine-worker.js", "engross_wasm_bg.wasm"];

/// Providers that a pane without a server may ask, with a key of the person's own. A browser asks none but these.
const PROVIDERS: &str =
    "https://api.openai.com https://api.anthropic.com https://generativelanguage.googleapis.com";

/// The pane for a web server of any kind: it has no engross behind it. Such a server sends no policy with its files, so that it stands in
/// the page. The engine is among them if this program holds it.
#[must_use]
pub fn hosted_pane_files() -> Vec<(String, Vec<u8>)> {
    let own = "connect-src 'self'";
    let policy = POLICY.replace(own, &format!("{own} {PROVIDERS}"));
    let head = format!(
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"engross-server\" content=\"none\">"
    );
    let page = String::from_utf8_lossy(include_bytes!("../../assets/taskpane.html")).replacen(
        "<meta charset=\"utf-8\">",
        &head,
        1,
    );
    let mut files = vec![
        ("index.html".to_owned(), page.into_bytes()),
        ("policy.js".to_owned(), include_bytes!("../../assets/policy.js").to_vec()),
        ("taskpane.js".to_owned(), include_bytes!("../../assets/taskpane.js").to_vec()),
        ("taskpane.css".to_owned(), include_bytes!("../../assets/taskpane.css").to_vec()),
    ];
    files.extend(ICON_BYTES.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())));
    #[cfg(feature = "word-engine")]
    files.extend([
        (
            "engine-worker.js".to_owned(),
            include_bytes!("../../../../web/engine/pkg/engine-worker.js").to_vec(),
        ),
        (
            "engross_wasm_bg.wasm".to_owned(),
            include_bytes!("../../../../web/engine/pkg/engross_wasm_bg.wasm").to_vec(),
        ),
    ]);
    files
}

/// Whether a path is one of the pane's.
pub(crate) fn is_public(path: &str) -> bool {
    path.starts_with(PAGE)
}

/// The routes of the pane.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let router = Router::new()
        .route("/word/", get(async |asked: HeaderMap| PAGE_FILE.response(&asked)))
        .route("/word/policy.js", get(async |asked: HeaderMap| POLICY_FILE.response(&asked)))
        .route("/word/taskpane.js", get(async |asked: HeaderMap| SCRIPT_FILE.response(&asked)))
        .route("/word/taskpane.css", get(async |asked: HeaderMap| STYLE_FILE.response(&asked)))
        .route("/word/{icon}", get(icon));
    #[cfg(feature = "word-engine")]
    let router = router
        .route("/word/engine-worker.js", get(async |asked: HeaderMap| WORKER_FILE.response(&asked)))
        .route("/word/engross_wasm_bg.wasm", get(async |asked: HeaderMap| MODULE_FILE.response(&asked)));
    router
}

async fn icon(Path(name): Path<String>, asked: HeaderMap) -> Result<Response, Error> {
    let (_, file) = ICONS.iter().find(|(known, _)| *known == name).ok_or_else(|| Error::RouteNotFound {
        path: format!("{PAGE}{}", name.chars().take(100).collect::<String>()),
    })?;
    Ok(file.response(&asked))
}
