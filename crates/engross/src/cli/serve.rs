//! `engross serve`
//!
//! Must never do anything: it only says what was asked for. Each flag is a row of the settings of a server, too.

use std::path::PathBuf;

use clap::Args;

/// `engross serve`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross serve --model ollama/qwen3\n  \
    engross serve --model anthropic/claude-sonnet-4-5 --listen 0.0.0.0:18789 --token SECRET --cors https://addin.example\n  \
    engross serve --store postgres://engross@db.internal/engross\n\n\
Each flag can also stand in the settings file, beneath [serve], or in the environment as ENGROSS_SERVE_NAME.\n\
The routes are explained in docs/protocol/sessions.md, running a server in docs/guide/serve.md.")]
pub(crate) struct ServeArgs {
    /// Address to listen at; port 0 takes a free one; 127.0.0.1:18789 without.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Folder for sessions and keys; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The one folder whose files may be written over HTTP and whose documents sessions may read and edit: workspaces are
    /// folders in it; workspace in the folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where sessions are kept: sqlite (a file in the data folder), postgres://…, or memory; sqlite without.
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<String>,
    /// Where other nodes reach this one, such as http://10.0.0.3:18789, if they share what owners have: needs a database, and --root and
    /// --data, in a folder that all of them have unless there is --local-folders.
    #[arg(long, value_name = "URL")]
    pub(crate) node_address: Option<String>,
    /// The folders of --root and --data are this node's alone: what owners have is kept in the database and in object storage, and the next
    /// node has it from there. Needs --node-address and --blobs.
    #[arg(long)]
    pub(crate) local_folders: bool,
    /// Folder for transcripts of all sessions, written as they go on; none without.
    #[arg(long, value_name = "DIR")]
    pub(crate) transcripts: Option<PathBuf>,
    /// Database for traces of all sessions, such as postgres://user@host/name; none without.
    #[arg(long, value_name = "URL")]
    pub(crate) traces: Option<String>,
    /// Object storage where the files of tasks are kept besides, such as s3://bucket/prefix; with AWS_REGION,
    /// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL from the environment.
    #[arg(long, value_name = "URL")]
    pub(crate) blobs: Option<String>,
    /// Secret that clients must send as a bearer token; ENGROSS_TOKEN keeps it out of sight.
    #[arg(long, value_name = "SECRET")]
    pub(crate) token: Option<String>,
    /// File with the certificates, in PEM, that make the server speak https; needs --tls-key.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate, in PEM. Both files are read again on SIGHUP.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Speak https with the certificate of `engross word install`, at its port unless --listen says another one.
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    pub(crate) word: bool,
    /// Origin that web pages may call from, besides this machine; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors: Vec<String>,
    /// Refuse models other than those that GET /v1/models lists.
    #[arg(long)]
    pub(crate) strict_models: bool,
    /// Take no keys of persons for models of providers: the pane of Word then offers the server's models alone.
    #[arg(long)]
    pub(crate) no_own_keys: bool,
    /// File for a line of JSON about each request, or - for standard error; none without. Opened again on SIGHUP.
    #[arg(long, value_name = "FILE")]
    pub(crate) access_log: Option<PathBuf>,
    /// Delete for good what is older than so many days: sessions, tasks with their files, what documents were; 0, as without, keeps all.
    #[arg(long, value_name = "N")]
    pub(crate) keep_days: Option<u64>,
    /// Work on documents in processes of their own, which have nothing but their pipes, and bounded memory and time.
    #[arg(long)]
    pub(crate) isolate_documents: bool,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl ServeArgs {
    /// What was typed, by the names of the settings; nothing for what was not.
    pub(crate) fn given(&self) -> Vec<(&'static str, Vec<String>)> {
        let path = |path: &Option<PathBuf>| {
            path.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let text = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
        vec![
            ("listen", text(&self.listen)),
            ("data", path(&self.data)),
            ("root", path(&self.root)),
            ("store", text(&self.store)),
            ("transcripts", path(&self.transcripts)),
            ("node_address", text(&self.node_address)),
            ("local_folders", if self.local_folders { vec!["true".to_owned()] } else { Vec::new() }),
            ("traces", text(&self.traces)),
            ("blobs", text(&self.blobs)),
            ("token", text(&self.token)),
            ("tls_cert", path(&self.tls_cert)),
            ("tls_key", path(&self.tls_key)),
            ("word", if self.word { vec!["true".to_owned()] } else { Vec::new() }),
            ("cors", self.cors.clone()),
            ("strict_models", if self.strict_models { vec!["true".to_owned()] } else { Vec::new() }),
            ("no_own_keys", if self.no_own_keys { vec!["true".to_owned()] } else { Vec::new() }),
            ("access_log", path(&self.access_log)),
            ("isolate_documents", if self.isolate_documents { vec!["true".to_owned()] } else { Vec::new() }),
            ("keep_days", self.keep_days.iter().map(u64::to_string).collect()),
        ]
    }
}
