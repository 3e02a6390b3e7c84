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
    assert!(
        page.text.contains("http://localhost:8080/v1/chat/completions")
            && !page.text.contains('{'.to_string().repeat(2).as_str())
    );
    assert_eq!(page.header("x-content-type-options").as_deref(), Some("nosniff"));
    let icon = get(&app, "/favicon.ico", &[]).await;
    assert_eq!((icon.status, icon.header("content-type").as_deref()), (200, Some("image/svg+xml")));
    let description = get(&app, "/openapi.json", &[]).await.json();
    assert!(description["paths"]["/v1/responses"]["post"]["summary"].is_string(), "{description}");
    assert_eq!(description["paths"]["/v1/models/{id}"]["get"]["parameters"][0]["name"], "id");
}

#[tokio::test]
async fn a_name_that_cannot_stand_in_a_page_does_not() {
    let (_, app) = with(|_| {});
    let request = axum::http::Request::builder()
        .uri("/")
        .header("host", "<script>alert(1)</script>")
        .body(Body::empty());
    let response = tower::ServiceExt::oneshot(app, request.unwrap()).await.unwrap();
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    assert!(!String::from_utf8(bytes.to_vec()).unwrap().contains("<script"));
}

/// Every route of the router is described, and nothing else is.
#[tokio::test]
async fn the_description_and_the_router_agree() {
    let sources = [
        include_str!("app.rs"),
        include_str!("routes/write_routes.rs"),
        include_str!("routes/task_routes.rs"),
    ];
    let written: Vec<String> = sources
        .iter()
        .flat_map(|source| source.split(".route(").skip(1))
        .filter_map(|rest| rest.split('"').nth(1).map(|path| path.replace("{*", "{")))
        .filter(|path| path.starts_with("/v1/"))
        .collect();
    for path in &written {
        assert!(routes::about::ROUTES.iter().any(|(_, known, _)| known == path), "{path} is not described");
    }
    let (_, app) = with(|_| {});
    for (method, path, _) in routes::about::ROUTES
        .iter()
        .filter(|(_, path, _)| !path.contains("write-sessions") && !path.starts_with("/acp"))
    {
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
