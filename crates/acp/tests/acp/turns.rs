//! What is heard of a turn, and what an agent may ask meanwhile.

use engross_tasks::runner::{
    AgentEvent, Attachment, How, PermissionOption, PlanStep, Policy, TaskRunner, TurnEnd,
};

use super::fake::provider;
use super::fixture::{TestBench, code, limits, next, rest, run, said};

#[test]
fn a_turn_is_told_as_it_goes() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let prompt = "think hm\nsay Hello \nforeign not ours\ntool t1 in_progress Make it\nplan read\nwrite a.txt done\nsay  there";
        let mut events = world.hear(world.turn("run-1", prompt)).await;
        let own = |text: &str| text.to_owned();
        let AgentEvent::Started { agent_session: Some(session) } = events.remove(0) else {
            panic!("{events:?}")
        };
        assert!(session.starts_with("session-"));
        let tool = |id: &str, title: &str, kind: &str| AgentEvent::Tool {
            id: own(id),
            title: own(title),
            kind: own(kind),
            status: own("in_progress"),
        };
        assert_eq!(
            events,
            [
                AgentEvent::Thought(own("hm")),
                AgentEvent::Text(own("Hello ")),
                tool("t1", "Make it", "execute"),
                AgentEvent::Plan(vec![PlanStep { content: own("read"), status: own("in_progress") }]),
                AgentEvent::Text(own(" there")),
                AgentEvent::Ended(TurnEnd { how: How::Completed, text: None }),
            ]
        );
        assert_eq!(std::fs::read_to_string(world.directory("run-1").join("a.txt")).unwrap(), "done");
    });
}

#[test]
fn it_works_in_the_folder_of_the_run_and_sees_only_what_it_may() {
    run(async {
        let world = TestBench::new(provider(&[("MINE", "yes")]), &limits());
        let prompt = "cwd\nenv XWORKMATE_RUN_ID\nenv ENGROSS_TOKEN\nenv MINE\nenv XWORKMATE_ARTIFACT_DIRECTORY\nblocks";
        let directory = world.directory("run-1").to_str().unwrap().to_owned();
        let wanted = format!("{directory}\n[run-1]\n[]\n[yes]\n[{directory}]\n[]");
        assert_eq!(world.say(world.turn("run-1", prompt)).await, (wanted, How::Completed));
    });
}

#[test]
fn attachments_are_named_by_their_address() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let mut turn = world.turn("run-1", "blocks");
        turn.attachments = vec![
            Attachment {
                name: "a b.txt".to_owned(),
                mime_type: "text/plain".to_owned(),
                path: "/w/a b.txt".into(),
            },
            Attachment { name: "c".to_owned(), mime_type: String::new(), path: "/w/ü".into() },
        ];
        let (text, how) = world.say(turn).await;
        assert_eq!(how, How::Completed);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            serde_json::json!([
                { "type": "resource_link", "name": "a b.txt", "uri": "file:///w/a%20b.txt", "mimeType": "text/plain" },
                { "type": "resource_link", "name": "c", "uri": "file:///w/%C3%BC" },
            ])
        );
    });
}

#[test]
fn files_are_served_beneath_the_folder_of_the_run_only() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let directory = world.directory("run-1");
        let other = world.directory("run-2");
        std::fs::write(other.join("secret.txt"), "theirs").unwrap();
        std::os::unix::fs::symlink(&other, directory.join("link")).unwrap();
        let prompt = format!(
            "fs-write sub/a.txt one\nfs-read sub/a.txt\nfs-read missing.txt\nfs-read ../run-2/secret.txt\n\
             fs-read {0}/secret.txt\nfs-read link/secret.txt\nfs-write ../run-2/b.txt x\nfs-write link/b.txt x\n\
             fs-write /etc/engross-test x\nterminal",
            other.display()
        );
        let (text, how) = world.say(world.turn("run-1", &prompt)).await;
        assert_eq!(how, How::Completed);
        let codes: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(
            codes,
            [
                "written",
                "content",
                "error -32002 ",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32602 PATH_OUTSIDE_ROOT",
                "error -32601 ",
            ],
            "{text}"
        );
        assert!(text.contains("content: one"));
        assert_eq!(std::fs::read_to_string(directory.join("sub/a.txt")).unwrap(), "one");
        assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    });
}

#[test]
fn a_policy_answers_for_the_person() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let prompt = "ask reject_once allow_always allow_once\nask allow_always reject_always\nask";
        for (policy, wanted) in [
            (Policy::Allow, "id-allow_once\nid-allow_always\ncancelled"),
            (Policy::Deny, "id-reject_once\nid-reject_always\ncancelled"),
        ] {
            let mut turn = world.turn("run-1", prompt);
            turn.permissions = policy;
            assert_eq!(world.say(turn).await, (wanted.to_owned(), How::Completed));
        }
    });
}

#[test]
fn a_person_answers_or_nobody_does() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let table = [
            (Some("id-allow_once"), "id-allow_once"),
            (None, "id-reject_once"),
            // What was not offered is a no.
            (Some("id-other"), "id-reject_once"),
        ];
        for (answer, wanted) in table {
            let mut turn = world.turn("run-1", "ask allow_once reject_once");
            turn.permissions = Policy::Ask;
            let mut running = world.start(turn).await.unwrap();
            next(&mut running).await;
            let option = |kind: &str| PermissionOption {
                id: format!("id-{kind}"),
                kind: kind.to_owned(),
                name: kind.to_owned(),
            };
            let AgentEvent::Permission { id, tool, options } = next(&mut running).await else { panic!() };
            assert_eq!(
                (tool.as_str(), options),
                ("Run make", vec![option("allow_once"), option("reject_once")])
            );
            running.control.answer("another", Some("id-allow_once"));
            running.control.answer(&id, answer);
            running.control.answer(&id, Some("id-allow_once"));
            assert_eq!(said(&rest(&mut running).await), (wanted.to_owned(), How::Completed));
        }

        let mut short = limits();
        short.question = std::time::Duration::from_millis(100);
        let world = TestBench::new(provider(&[]), &short);
        let mut turn = world.turn("run-1", "ask allow_once reject_once");
        turn.permissions = Policy::Ask;
        assert_eq!(world.say(turn).await, ("cancelled".to_owned(), How::Completed));
    });
}

#[test]
fn a_model_is_set_or_refused() {
    run(async {
        let world = TestBench::new(provider(&[("FAKE_CAN", "resume")]), &limits());
        for model in ["small", "large"] {
            let mut turn = world.turn("run-1", "say ok");
            turn.model = Some(model.to_owned());
            assert_eq!(world.say(turn).await, ("ok".to_owned(), How::Completed));
        }
        let mut turn = world.turn("run-1", "say ok");
        turn.model = Some("huge".to_owned());
        let error = world.start(turn).await.err().unwrap();
        assert_eq!(error.code, "AGENT_MODEL_UNAVAILABLE");
        assert!(error.message.contains("small, large"), "{error}");
        assert!(world.processes().is_empty());
    });
}

#[test]
fn ends_of_a_turn_have_their_meaning() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        for (prompt, wanted) in [
            ("stop refusal", "AGENT_REFUSED"),
            ("stop max_tokens", "AGENT_INCOMPLETE"),
            ("stop max_turn_requests", "AGENT_INCOMPLETE"),
            ("error the model is gone", "AGENT_ERROR"),
            ("server-error disk quota exceeded", "AGENT_AUTH_REQUIRED"),
        ] {
            let (_, how) = world.say(world.turn("run-1", prompt)).await;
            assert_eq!(code(&how), wanted, "{prompt}");
        }
        assert_eq!(world.say(world.turn("run-1", "stop cancelled")).await.1, How::Cancelled);
        // A later version knows more ends: what was made speaks for it, and a person is told.
        let events = world.hear(world.turn("run-1", "say ok\nstop made-up")).await;
        let warned =
            events.iter().any(|event| matches!(event, AgentEvent::Warning(told) if told.contains("made-up")));
        assert!(warned && said(&events) == ("ok".to_owned(), How::Unstated), "{events:?}");
        assert_eq!(world.runner().health().await, engross_tasks::runner::Health::Ready);
    });
}
