//! The document engine for Python: bytes and JSON texts in and out; `engross/__init__.py` gives them types.
//!
//! The same document and operations give the same bytes as on the command line. What goes wrong is raised as `EngineError` with the JSON text
//! `{"code", "message"}`. Must never hold a rule of the engine, ask the clock, or touch a file.

use engross_wasm::RedlineFile;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::{Bound, PyModule, PyModuleMethods, PyResult, Python, pyclass, pyfunction, pymethods, pymodule};
use pyo3::types::PyBytes;
use pyo3::wrap_pyfunction;

create_exception!(_engine, EngineError, PyException, "What went wrong, as JSON.");

/// A result of the engine as one of Python.
fn raised<T>(result: Result<T, String>) -> PyResult<T> {
    result.map_err(EngineError::new_err)
}

/// A Word document that is open.
#[pyclass]
struct WordFile {
    file: engross_wasm::WordFile,
}

#[pymethods]
impl WordFile {
    /// Opens a package, or a package as one XML file (Flat OPC).
    #[staticmethod]
    fn open(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let file = raised(py.detach(|| engross_wasm::WordFile::open(bytes)))?;
        Ok(Self { file })
    }

    /// A document of Markdown.
    #[staticmethod]
    fn from_markdown(py: Python<'_>, markdown: &str) -> PyResult<Self> {
        let file = raised(py.detach(|| engross_wasm::WordFile::from_markdown(markdown)))?;
        Ok(Self { file })
    }

    fn copy(&self, py: Python<'_>) -> Self {
        Self { file: py.detach(|| self.file.copy()) }
    }

    fn revision(&self, py: Python<'_>) -> String {
        py.detach(|| self.file.revision())
    }

    fn read(&self, py: Python<'_>, options: &str) -> PyResult<String> {
        raised(py.detach(|| self.file.read(options)))
    }

    fn apply(&mut self, py: Python<'_>, batch: &str, signature: &str) -> PyResult<String> {
        raised(py.detach(|| self.file.apply(batch, signature)))
    }

    fn resolve(&mut self, py: Python<'_>, which: &str, choice: &str) -> PyResult<String> {
        raised(py.detach(|| self.file.resolve(which, choice)))
    }

    fn revisions(&self, py: Python<'_>) -> PyResult<String> {
        raised(py.detach(|| self.file.revisions()))
    }

    fn comments(&self, py: Python<'_>) -> PyResult<String> {
        raised(py.detach(|| self.file.comments()))
    }

    fn check(&self, py: Python<'_>) -> PyResult<String> {
        raised(py.detach(|| self.file.check()))
    }

    fn html(&self, py: Python<'_>, options: &str) -> PyResult<String> {
        raised(py.detach(|| self.file.html(options)))
    }

    fn to_markdown(&self, py: Python<'_>, view: &str) -> PyResult<String> {
        raised(py.detach(|| self.file.to_markdown(view)))
    }

    fn save<'py>(&self, py: Python<'py>, untracked: bool) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = raised(py.detach(|| self.file.save(untracked)))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// A redline of two documents: the file, and what is in it as JSON.
#[pyfunction]
fn compare<'py>(
    py: Python<'py>,
    before: Vec<u8>,
    after: Vec<u8>,
    options: &str,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let redline = raised(py.detach(|| RedlineFile::make(before, after, options)))?;
    Ok((PyBytes::new(py, &redline.bytes()), redline.report()))
}

/// The version of the engine.
#[pyfunction]
fn version() -> String {
    engross_wasm::version()
}

/// What `import engross._engine` gives.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WordFile>()?;
    module.add_function(wrap_pyfunction!(compare, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add("EngineError", module.py().get_type::<EngineError>())
}
