//! What a stranger sees, and that nothing of it is made up.

use axum::body::Body;
use axum::http::Method;

use super::{Token, routes};
use crate::testing::client::{get, send, with};

#[tokio::test]
async fn a_person_and_a_program_find_their_way_without_a_token() {
    let (_, app) = with(|server| server.access.token = Some(Token::new("t")));
    let page = get(&app, "/", &[]).await;
    assert_eq!(
        (page.status, page.header("content-type").as_deref()),
        (200, Some("text/html; charset=utf-8"))
    );
    let icon = get(&app, "/favicon.ico", &[]).await;
    assert_eq!((icon.status, icon.header("content-type").as_deref()), (200, Some("image/svg+xml")));
    let description = get(&app, "/openapi.json", &[]).await.json();
    assert!(description["paths"]["/v1/responses"]["post"]["summary"].is_string(), "{description}");
    assert_eq!(description["paths"]["/v1/models/{id}"]["get"]["parameters"][0]["name"], "id");
}

/// Every route of the router is described, and nothing else is.
#[tokio::test]
async fn the_description_and_the_router_agree() {
    let sources = [
        include_str!("app.rs"),
        include_str!("routes/write_routes.rs"),
        include_str!("routes/task_routes.rs"),
        include_str!("routes/own_model.rs"),
        include_str!("routes/review.rs"),
        include_str!("routes/skill_routes.rs"),
        include_str!("routes/thread_routes.rs"),
    ];
    let written: Vec<String> = sources
        .iter()
        .flat_map(|source| source.split(".route(").skip(1))
        .filter_map(|rest| rest.split('"').nth(1).map(|path| path.replace("{*", "{")))
        // These say only that they are not there any more.
        .filter(|path| !["/acp-server", "/gateway"].iter().any(|gone| path.starts_with(gone)))
        .collect();
    for path in &written {
        assert!(routes::about::ROUTES.iter().any(|(_, known, _)| known == path), "{path} is not described");
    }
    let (_, app) = with(|_| {});
    for (method, path, _) in routes::about::ROUTES.iter().filter(|(_, path, _)| {
        let further = [
            "write-session",
            "/v1/own-model",
            "/v1/review",
            "/v1/skills",
            "/v1/threads",
            "/acp",
            "/a2a",
            "/.well-known/",
            "/api/",
            "/artifacts/",
            "/mcp",
        ];
        !further.iter().any(|part| path.contains(part))
    }) {
        let path = path.replace(['{', '}'], "");
        // A method that no route has tells whether there is one, and which methods it has.
        let got = send(&app, Method::TRACE, &path, &[], Body::empty()).await;
        assert_eq!(got.status, 405, "{path} does not exist");
        let allowed = got.header("allow").unwrap_or_default();
        assert!(
            allowed.split(',').any(|allowed| allowed.eq_ignore_ascii_case(method)),
            "{method} {path}: {allowed}"
        );
    }
}
