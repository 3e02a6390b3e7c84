//! The model that each owner of a server may have answers from by a key of their own. The key is in memory; where its owner wants it to
//! be remembered it is in the store of the operating system, or in a file that its owner alone can read.
//!
//! Must never give a key to anybody but the provider that it is for, nor leave one behind that was to be forgotten.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use engross_agent::session::OwnModels;
use engross_http::{BroughtModel, Error, OwnModelPlace};
use engross_llm::{ExposeSecret as _, Model, ModelSpec, ProviderSettings, SecretString};
use engross_protocol::{Failure, hex};
use engross_store::files::FileChange;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::homes::{KeptFiles, OwnerFolders};
use super::secret_store::SecretStore;
use crate::codes;
use crate::console::note;
use crate::files::{self, by_path};
use crate::sessions;
use crate::settings::{Environment, ProgramSettings};

/// The file in the folder for data of an owner.
pub(super) const FILE: &str = "own-model.json";

/// The largest one that is read.
const LARGEST: u64 = 64 << 10;

/// How long keys are: a shorter one is no key, and could not be told from words where it has to be taken out of a message.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=4096;

/// How the place is called where a key is in a file.
const IN_FILE: &str = "file";

/// What messages about a key call it.
const CALLED: &str = "your own key";

/// The file: which model it is, and where its key is.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RememberedModel {
    version: u32,
    provider: String,
    name: String,
    /// `file`, `keychain` or `secret-service`.
    place: String,
    /// The key, where the place is this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// The models that owners have brought, by the principals of their sessions. Clones share them.
#[derive(Clone, Default)]
pub(super) struct OwnModelTable(Arc<RwLock<BTreeMap<String, Arc<dyn Model>>>>);

impl OwnModelTable {
    fn put(&self, principal: &str, model: Option<Arc<dyn Model>>) {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match model {
            Some(model) => table.insert(principal.to_owned(), model),
            None => table.remove(principal),
        };
    }
}

impl OwnModels for OwnModelTable {
    fn of(&self, principal: &str) -> Option<Arc<dyn Model>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(principal).cloned()
    }
}

/// What is known of an owner's model.
struct HeldModel {
    spec: ModelSpec,
    provider: String,
    name: String,
    /// Nothing while the store that has it is locked.
    key: Option<SecretString>,
    /// Where the key is remembered; nothing for one that is in memory alone.
    place: Option<&'static str>,
}

/// The place of one owner's model.
pub(super) struct OwnModelKeeper {
    principal: String,
    /// The folder for data of the owner.
    data: PathBuf,
    /// What keeps the file elsewhere, too: then keys are in the file, as no other machine has this one's store.
    files: Option<Arc<dyn KeptFiles>>,
    table: OwnModelTable,
    store: Option<SecretStore>,
    settings: ProgramSettings,
    /// What providers need, without anybody's keys.
    providers: ProviderSettings,
    /// Whether owners may bring models here.
    is_allowed: bool,
    held: Mutex<Option<HeldModel>>,
}

impl OwnModelKeeper {
    /// That of a principal, whose folder for data is there, with what was remembered before.
    pub(super) fn open(
        principal: &str,
        data: &Path,
        table: OwnModelTable,
        files: Option<Arc<dyn KeptFiles>>,
        settings: &ProgramSettings,
        environment: &Environment,
    ) -> Self {
        let store = if files.is_none() { SecretStore::of_system(environment) } else { None };
        Self { files, ..Self::with_store(principal, data, table, store, settings, environment) }
    }

    /// The same with a store that is handed in.
    pub(super) fn with_store(
        principal: &str,
        data: &Path,
        table: OwnModelTable,
        store: Option<SecretStore>,
        settings: &ProgramSettings,
        environment: &Environment,
    ) -> Self {
        let providers = ProviderSettings {
            openai_api_key: None,
            anthropic_api_key: None,
            gemini_api_key: None,
            compatible_api_key: None,
            keys_called: Some(CALLED),
            ..settings.providers(environment)
        };
        let keeper = Self {
            principal: principal.to_owned(),
            data: by_path::absolute(data),
            files: None,
            table,
            store,
            settings: settings.clone(),
            providers,
            is_allowed: !settings.serve.switch("no_own_keys"),
            held: Mutex::default(),
        };
        if keeper.is_allowed {
            match keeper.remembered() {
                Ok(held) => keeper.hold(&mut lock(&keeper.held), held),
                Err(failure) => note(&format!(
                    "A model that was remembered is not used: {} [{}]",
                    failure.message, failure.code
                )),
            }
        }
        keeper
    }

    /// What the file says, with the key from wherever it is.
    fn remembered(&self) -> Result<Option<HeldModel>, Failure> {
        let path = self.path();
        let bytes = match by_path::read_private(&path, LARGEST) {
            Ok(bytes) => bytes,
            Err(by_path::PathError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // What a parser says could hold a part of the key.
        let invalid = || {
            let message = format!("{} is not what engross has written; remove it", path.display());
            Failure::of(codes::OWN_MODEL_INVALID, message)
        };
        let file: RememberedModel = serde_json::from_slice(&bytes).map_err(|_| invalid())?;
        let spec = spec_of(&file.provider, &file.name).map_err(|_| invalid())?;
        if file.version != 1 {
            return Err(invalid());
        }
        let store = self.store.as_ref().filter(|store| store.kind().as_str() == file.place);
        let (key, place) = match (file.place.as_str(), store) {
            (IN_FILE, _) => (Some(SecretString::from(file.key.ok_or_else(invalid)?)), IN_FILE),
            (_, Some(store)) => (store.find(&self.account()), store.kind().as_str()),
            // The program that leads to the store is gone.
            (_, None) => {
                let message = format!(
                    "the key is in the store of the system ({}), which cannot be reached; give the key again",
                    file.place
                );
                return Err(Failure::of(codes::OWN_MODEL_INVALID, message));
            }
        };
        Ok(Some(HeldModel { spec, provider: file.provider, name: file.name, key, place: Some(place) }))
    }

    /// Whether another node would have the key, too; also when there is none.
    pub(super) fn is_found_elsewhere(&self) -> bool {
        lock(&self.held).as_ref().is_none_or(|held| held.place == Some(IN_FILE))
    }

    /// Answers no sessions by it any more: another node knows what becomes of the key.
    pub(super) fn leave(&self) {
        self.table.put(&self.principal, None);
    }

    /// Offers it to the sessions of its owner from now on.
    fn hold(&self, held: &mut Option<HeldModel>, model: Option<HeldModel>) {
        let opened = model.as_ref().and_then(|model| self.opened(model).ok().flatten());
        self.table.put(&self.principal, opened);
        *held = model;
    }

    /// The model behind a key; nothing without one.
    fn opened(&self, model: &HeldModel) -> Result<Option<Arc<dyn Model>>, Failure> {
        let Some(key) = &model.key else { return Ok(None) };
        let mut providers = self.providers.clone();
        let place = match &model.spec {
            ModelSpec::Anthropic { .. } => &mut providers.anthropic_api_key,
            ModelSpec::Gemini { .. } => &mut providers.gemini_api_key,
            _ => &mut providers.openai_api_key,
        };
        *place = Some(key.clone());
        let none = || -> Arc<dyn Model> { Arc::new(engross_rules::RulesModel) };
        let opened = engross_llm::open(&model.spec, &providers, none, |_| {
            Err(Failure::of(codes::OWN_MODEL_INVALID, "a script is nobody's own model".to_owned()))
        })?;
        Ok(Some(sessions::recalling(opened, &self.settings)))
    }

    /// Keeps a key where it is remembered: in the store of the system if that takes it, else in the file.
    fn remember(&self, model: &HeldModel, key: &SecretString) -> Result<&'static str, Failure> {
        let store = self.store.as_ref().filter(|store| store.keep(&self.account(), key));
        let place = store.map_or(IN_FILE, |store| store.kind().as_str());
        let file = RememberedModel {
            version: 1,
            provider: model.provider.clone(),
            name: model.name.clone(),
            place: place.to_owned(),
            key: store.is_none().then(|| key.expose_secret().to_owned()),
        };
        let path = self.path();
        let written = serde_json::to_vec_pretty(&file)
            .map_err(|_| Failure::of(codes::OWN_MODEL_INVALID, "the model cannot be written down".to_owned()))
            .and_then(|bytes| Ok(files::write_private(&path, &bytes)?))
            .and_then(|()| self.keep_file());
        if written.is_err() {
            store.map(|store| store.forget(&self.account()));
        }
        written.map(|()| place)
    }

    /// Takes what is remembered away, from wherever it is.
    fn unremember(&self, held: Option<&HeldModel>) -> Result<(), Failure> {
        let place = held.and_then(|held| held.place).map(str::to_owned).or_else(|| self.place_in_file());
        if let Some(place) = place.filter(|place| place != IN_FILE) {
            let store = self.store.as_ref().filter(|store| store.kind().as_str() == place);
            if !store.is_some_and(|store| store.forget(&self.account())) {
                let message = format!(
                    "the store of the system ({place}) has not forgotten the key; unlock it and try again, or delete there what \
                     is called {} and then {}",
                    self.account(),
                    self.path().display()
                );
                return Err(Failure::of(codes::OWN_MODEL_INVALID, message));
            }
        }
        by_path::remove(&self.path())?;
        self.keep_file()
    }

    /// Has the file kept elsewhere as it is now.
    fn keep_file(&self) -> Result<(), Failure> {
        let Some(kept) = &self.files else { return Ok(()) };
        let change = (format!("{}/{FILE}", OwnerFolders::DATA), FileChange::Replaced);
        match kept.is_kept(kept.changed(&[change])) {
            true => Ok(()),
            false => {
                let message = "the model is at another node by now: send the request again".to_owned();
                Err(Failure::of(engross_protocol::shared::HOME_AWAY, message))
            }
        }
    }

    /// Where the file says that the key is, whatever is known of it otherwise.
    fn place_in_file(&self) -> Option<String> {
        let bytes = by_path::read_private(&self.path(), LARGEST).ok()?;
        serde_json::from_slice::<RememberedModel>(&bytes).ok().map(|file| file.place)
    }

    fn path(&self) -> PathBuf {
        self.data.join(FILE)
    }

    /// How the store of the system calls the key: two servers of one person, and two owners of one server, have their own.
    fn account(&self) -> String {
        let whole = Sha256::digest(self.data.as_os_str().as_encoded_bytes());
        let folder: String = hex::encode(whole).chars().take(16).collect();
        format!("own-model-{folder}")
    }

    /// As a page is told.
    fn shown(&self, held: Option<&HeldModel>) -> Value {
        let model = held.map(|held| {
            json!({
                "provider": held.provider,
                "name": held.name,
                "remembered": held.place,
                // A store that is locked has it, and does not give it.
                "hasKey": held.key.is_some(),
            })
        });
        let store = self.store.as_ref().map_or(IN_FILE, |store| store.kind().as_str());
        json!({"allowed": self.is_allowed, "remembersIn": store, "model": model})
    }

    fn check_allowed(&self) -> Result<(), Error> {
        match self.is_allowed {
            true => Ok(()),
            false => Err(with_status(Failure::of(
                codes::OWN_KEYS_OFF,
                "this server takes no keys of persons; choose one of its models".to_owned(),
            ))),
        }
    }
}

impl OwnModelPlace for OwnModelKeeper {
    fn show(&self) -> Result<Value, Error> {
        let mut held = lock(&self.held);
        // The person may have unlocked the store since.
        if held.as_ref().is_some_and(|held| held.key.is_none()) {
            let found = self.remembered().map_err(with_status)?;
            self.hold(&mut held, found);
        }
        Ok(self.shown(held.as_ref()))
    }

    fn take(&self, brought: BroughtModel) -> Result<Value, Error> {
        self.check_allowed()?;
        let (provider, name) = (brought.provider.trim().to_owned(), brought.name.trim().to_owned());
        let spec = spec_of(&provider, &name)?;
        let mut held = lock(&self.held);
        let key = match brought.key {
            Some(key) => checked(&key)?,
            None => held
                .as_ref()
                .filter(|before| before.provider == provider)
                .and_then(|before| before.key.clone())
                .ok_or_else(|| Error::invalid("key", "is missing; there is none for this provider yet"))?,
        };
        let mut model = HeldModel { spec, provider, name, key: Some(key.clone()), place: None };
        self.opened(&model).map_err(with_status)?;
        // What was remembered before is gone, whatever comes of the new one.
        self.unremember(held.as_ref()).map_err(with_status)?;
        if brought.remember {
            match self.remember(&model, &key) {
                Ok(place) => model.place = Some(place),
                Err(failure) => {
                    self.hold(&mut held, None);
                    return Err(with_status(failure));
                }
            }
        }
        self.hold(&mut held, Some(model));
        Ok(self.shown(held.as_ref()))
    }

    fn forget(&self) -> Result<Value, Error> {
        let mut held = lock(&self.held);
        // Nobody is answered by it from now on, also where the store does not let it go.
        self.table.put(&self.principal, None);
        self.unremember(held.as_ref()).map_err(with_status)?;
        *held = None;
        Ok(self.shown(None))
    }
}

/// The model of a provider that takes keys of persons.
fn spec_of(provider: &str, name: &str) -> Result<ModelSpec, Error> {
    if !matches!(provider, "anthropic" | "openai" | "gemini") {
        return Err(Error::invalid("provider", "is none of anthropic, openai and gemini"));
    }
    let spec: Result<ModelSpec, _> = format!("{provider}/{name}").parse();
    spec.map_err(|_| Error::invalid("name", "is no name of a model"))
}

/// A key as providers make them.
fn checked(key: &SecretString) -> Result<SecretString, Error> {
    let key = key.expose_secret().trim();
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\' | b'`');
    match LENGTHS.contains(&key.len()) && key.bytes().all(is_plain) {
        true => Ok(SecretString::from(key)),
        false => Err(Error::invalid(
            "key",
            "is no key of a provider: it must have 8 to 4096 letters, digits and signs, without blanks and quotes",
        )),
    }
}

fn with_status(failure: Failure) -> Error {
    let tables = [codes::ALL, engross_llm::codes::ALL];
    let status = engross_protocol::codes::find(&tables, failure.code).map_or(500, |row| row.status);
    Error::of_failure(status, failure)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
