use proptest::prelude::*;
use tokio::io::{AsyncWriteExt, duplex};

use super::line::{PipeClosed, PipeMessage, Pipes};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// What is heard of `pieces`, each written on its own.
fn heard(pieces: Vec<Vec<u8>>, limit: usize) -> Vec<PipeMessage> {
    run(async {
        let (ours, _theirs) = duplex(64);
        let (mut out, output) = duplex(16);
        let mut line = Pipes::new(ours, output, limit);
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            for piece in pieces {
                if out.write_all(&piece).await.is_err() {
                    break;
                }
            }
        });
        let mut all = Vec::new();
        loop {
            all.push(line.hear().await);
            if !matches!(all.last(), Some(PipeMessage::Line(_))) {
                return all;
            }
        }
    })
}

#[test]
fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
    let line = |text: &str| PipeMessage::Line(text.as_bytes().to_vec());
    assert_eq!(heard(vec![b"12345\n\n \r\n12\n".to_vec()], 5), [line("12345"), line("12"), PipeMessage::End]);
    assert_eq!(heard(vec![b"12\n123456\n12\n".to_vec()], 5), [line("12"), PipeMessage::TooLong]);
    assert_eq!(heard(vec![vec![b'x'; 1_000_000]], 5), [PipeMessage::TooLong], "it is not waited for the end");
    assert_eq!(heard(vec![b"12\nhalf".to_vec()], 5), [line("12"), PipeMessage::End]);
}

#[test]
fn an_agent_that_does_not_read_is_found_out() {
    run(async {
        let (ours, _theirs) = duplex(8);
        let (_out, output) = duplex(8);
        let line = Pipes::new(ours, output, 100);
        let mut said = 0;
        while line.say(vec![b'x'; 100]).is_ok() {
            said += 1;
            assert!(said < 100);
            tokio::task::yield_now().await;
        }
        assert_eq!(line.say(Vec::new()), Err(PipeClosed));
    });
}

proptest! {
    #[test]
    fn pieces_do_not_matter(bytes in prop::collection::vec(prop::sample::select(b"ab\n\r {\"".to_vec()), 0..120), cuts in prop::collection::vec(0usize..120, 0..8)) {
        let mut pieces = Vec::new();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for cut in cuts {
            pieces.push(bytes[from..cut].to_vec());
            from = cut;
        }
        pieces.push(bytes[from..].to_vec());
        prop_assert_eq!(heard(pieces, 1000), heard(vec![bytes], 1000));
    }
}
