//! What can be typed beside messages.

use super::pty::Pty;
use super::{answer, chat, script, scripted};

#[test]
fn help_names_every_command() {
    let desk = scripted(&script([]));
    let pty = chat(&desk, &[]);
    pty.line("/help");
    let screen = pty.sees("once more ends the chat.");
    for command in [
        "undo", "diff", "accept", "retry", "model", "status", "cost", "sessions", "resume", "save", "auto",
        "help", "quit",
    ] {
        assert!(screen.contains(&format!("  /{command} ")), "{command}: {screen}");
    }
}

#[test]
fn sessions_are_listed_and_gone_on_with() {
    let desk =
        scripted(&script([answer("name", "You told me your name."), answer("sea", "The sea is wide.")]));
    for (session, line, said) in
        [("one", "my name is Ishmael", "You told me"), ("two", "about the sea", "The sea")]
    {
        let pty = Pty::chat(&desk, &["--model", "script:script.json", "--session", session]);
        pty.line(line);
        pty.sees(said);
        pty.rests();
        pty.line("/quit");
        assert_eq!(pty.ends().0, Some(0));
    }
    let pty = chat(&desk, &[]);
    pty.line("/sessions");
    let screen = pty.sees("/resume NUMBER goes on with one");
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("just now")).collect();
    assert!(rows.len() == 2 && rows[0].contains("two") && rows[1].contains("my name is Ishmael"), "{screen}");
    pty.picture("chat-sessions");
    pty.line("/resume 2");
    let screen = pty.sees("This is session one");
    assert!(screen.contains("Earlier, You: my name is Ishmael"), "{screen}");
    pty.sees("script:script.json · one");
    pty.line("/resume two");
    pty.sees("This is session two");
    pty.line("/resume 9");
    pty.sees("there is no session 9 in the list");
    pty.line("/resume none");
    pty.sees("[SESSION_UNKNOWN]");
    pty.line("/status");
    let screen = pty.sees("Waiting");
    assert!(screen.contains("two · 1 message\n"), "{screen}");
}

#[test]
fn the_model_can_be_changed_and_an_answer_asked_for_again() {
    let desk = scripted(&script([answer("who", "The first model.")]));
    desk.put("other.json", script([answer("who", "The other model.")]).to_string().as_bytes());
    let pty = chat(&desk, &[]);
    pty.line("/retry");
    pty.sees("There is no message to ask about again");
    pty.line("who are you?");
    pty.sees("The first model.");
    pty.rests();
    pty.line("/model script:other.json");
    pty.sees("The model is script:other.json from here on");
    pty.line("/retry");
    pty.sees("The other model.");
    pty.rests();
    pty.line("/model no-such/model");
    pty.sees("✗ ");
    pty.line("/model");
    pty.sees("The model is script:other.json\n");
    pty.line("/save talk.md");
    pty.sees("The conversation is in talk.md");
    let saved = String::from_utf8(desk.bytes("talk.md")).unwrap();
    assert_eq!(
        saved, "**You:**\n\nwho are you?\n\n**engross:**\n\nThe other model.\n\n",
        "the first answer is gone"
    );
    pty.line("/save talk.md");
    pty.sees("[TARGET_EXISTS]");
}

#[test]
fn tokens_are_counted() {
    let desk = scripted(&script([answer("go", "Gone.")]));
    let pty = chat(&desk, &[]);
    pty.line("/cost");
    let screen = pty.sees("This session");
    assert!(screen.contains("This chat              0 read          0 written"), "{screen}");
    pty.sees("The model does not tell its tokens");
    pty.line("/diff");
    pty.sees("The last answer has changed nothing");
    pty.line("/accept");
    pty.sees("there is no document here");
}
