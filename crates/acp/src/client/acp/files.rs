//! Files that an agent reads and writes through us: those of its run, and no others.
//!
//! Must never resolve a path itself: what is beneath the folder is up to the store's files.

use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{
    Error as RpcError, ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use engross_store::files::{FileError, Folder, Precondition, RelPath};
use serde_json::Value;

/// The folder of a run.
#[derive(Debug, Clone)]
pub(super) struct RunFolder {
    pub(super) folder: Folder,
    /// The ways in which agents name it: as it was given, and with all links resolved.
    pub(super) names: Vec<PathBuf>,
    /// The most bytes of a file.
    pub(super) limit: u64,
}

impl RunFolder {
    pub(super) fn new(folder: Folder, directory: &Path, limit: u64) -> Self {
        let resolved = std::fs::canonicalize(directory).ok().filter(|resolved| resolved != directory);
        Self { folder, names: std::iter::once(directory.to_owned()).chain(resolved).collect(), limit }
    }

    /// `fs/read_text_file`. Lines are counted from 1.
    pub(super) fn read(&self, request: &ReadTextFileRequest) -> Result<Value, RpcError> {
        let path = self.beneath(&request.path)?;
        let found = self.folder.read(&path, self.limit).map_err(failed)?;
        let Some((bytes, _)) = found else {
            return Err(RpcError::resource_not_found(Some(path.as_str().to_owned())));
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| RpcError::invalid_params().data(format!("`{}` is no text", path.as_str())))?;
        let content = if request.line.is_none() && request.limit.is_none() {
            text
        } else {
            let from = request.line.unwrap_or(1).saturating_sub(1) as usize;
            let most = request.limit.map_or(usize::MAX, |limit| limit as usize);
            text.split_inclusive('\n').skip(from).take(most).collect()
        };
        as_value(&ReadTextFileResponse::new(content))
    }

    /// `fs/write_text_file`.
    pub(super) fn write(&self, request: &WriteTextFileRequest) -> Result<Value, RpcError> {
        let path = self.beneath(&request.path)?;
        if request.content.len() as u64 > self.limit {
            let problem = format!("`{}` would have more than {} bytes", path.as_str(), self.limit);
            return Err(RpcError::invalid_params().data(problem));
        }
        self.folder.write(&path, request.content.as_bytes(), &Precondition::Any).map_err(failed)?;
        as_value(&WriteTextFileResponse::new())
    }

    fn beneath(&self, path: &Path) -> Result<RelPath, RpcError> {
        let outside = || {
            RpcError::invalid_params()
                .data("PATH_OUTSIDE_ROOT: only files in the folder of this run are served")
        };
        let rest = self.names.iter().find_map(|name| path.strip_prefix(name).ok()).ok_or_else(outside)?;
        RelPath::parse(rest.to_str().ok_or_else(outside)?).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the last use of the error")]
fn failed(error: FileError) -> RpcError {
    RpcError::invalid_params().data(format!("{}: {error}", error.code()))
}

pub(super) fn as_value(response: &impl serde::Serialize) -> Result<Value, RpcError> {
    serde_json::to_value(response).map_err(RpcError::into_internal_error)
}
