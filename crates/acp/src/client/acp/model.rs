//! Selects the model that a turn asks for among those that an agent offers.
//!
//! Must never fall back to another model silently.

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectOption, SessionConfigSelectOptions, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
};

use super::client::{Client, Session};
use crate::client::error::{AgentFault, shown};

/// How many models an error names.
const NAMED: usize = 10;

impl Client {
    /// Sets the model of `session`, unless it is set already.
    ///
    /// # Errors
    /// [`AgentFault::Model`] when it is not offered, else as [`Client::open`].
    pub(in crate::client) async fn set_model(
        &mut self,
        session: &mut Session,
        model: &str,
        limit: std::time::Duration,
    ) -> Result<(), AgentFault> {
        let Some(request) = request(session, model)? else { return Ok(()) };
        let response: SetSessionConfigOptionResponse =
            self.call("session/set_config_option", &request, limit).await?;
        session.options = response.config_options;
        Ok(())
    }
}

/// What has to be asked; `None` when it is set already.
fn request(session: &Session, model: &str) -> Result<Option<SetSessionConfigOptionRequest>, AgentFault> {
    let is_model =
        |option: &&SessionConfigOption| option.category == Some(SessionConfigOptionCategory::Model);
    let setting = session.options.iter().find(is_model);
    let Some((setting, SessionConfigKind::Select(select))) = setting.map(|setting| (setting, &setting.kind))
    else {
        let offered = "it does not let us choose; set the model in its own configuration".to_owned();
        return Err(AgentFault::Model { model: shown(model), offered });
    };
    let offered: Vec<&SessionConfigSelectOption> = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    };
    let named = offered.iter().find(|option| &*option.value.0 == model || option.name == model);
    let Some(option) = named else {
        let names: Vec<&str> = offered.iter().take(NAMED).map(|option| &*option.value.0).collect();
        let offered = shown(&format!("it offers {}", names.join(", ")));
        return Err(AgentFault::Model { model: shown(model), offered });
    };
    if option.value == select.current_value {
        return Ok(None);
    }
    let value = SessionConfigOptionValue::value_id(option.value.clone());
    Ok(Some(SetSessionConfigOptionRequest::new(session.id.clone(), setting.id.clone(), value)))
}
