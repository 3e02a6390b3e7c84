//! One suite that every store passes: each rule, a random walk against a model, and what is left after a kill.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::panic, reason = "a writer that fails otherwise is a test that has failed")]

mod disk;
mod files;
mod fixture;
mod killed;
mod leases;
mod load;
mod logs;
#[cfg(feature = "objects")]
mod objects;
mod processes;
#[cfg(feature = "postgres")]
mod server;
#[cfg(feature = "postgres")]
mod server_files;
#[cfg(feature = "postgres")]
mod server_homes;
#[cfg(feature = "postgres")]
mod server_killed;
#[cfg(feature = "postgres")]
mod server_shared;
mod sessions;
mod together;
#[cfg(feature = "postgres")]
mod traces;
mod walk;

/// Every rule as a test of its own on every store.
macro_rules! rules {
    ($($file:ident: $($rule:ident)+;)+) => {
        rules!(@on memory, 200, Some(crate::fixture::InMemory::new()), $($($file::$rule)+)+);
        rules!(@on sqlite, 50, Some(crate::files::OneFile::of(crate::files::Owners::One)), $($($file::$rule)+)+);
        rules!(@on sqlite_joint, 50, Some(crate::files::OneFile::of(crate::files::Owners::Joint)), $($($file::$rule)+)+);
        rules!(@on sqlite_of_two, 10, Some(crate::files::OneFile::of(crate::files::Owners::Two)), $($($file::$rule)+)+);
        #[cfg(feature = "postgres")]
        rules!(@on postgres, 20, crate::server::OneSchema::new(), $($($file::$rule)+)+);
    };
    // The place is an option: a store that this machine does not have is skipped.
    (@on $store:ident, $walks:literal, $place:expr, $($file:ident::$rule:ident)+) => {
        mod $store {
            $(#[test]
            fn $rule() {
                if let Some(place) = $place {
                    crate::$file::$rule(&place);
                }
            })+

            #[test]
            fn every_answer_is_the_models() {
                crate::walk::every_answer_is_the_models($walks, || $place);
            }
        }
    };
}

rules! {
    sessions:
        a_new_session_is_found_by_each_name_and_its_id
        a_known_name_gives_its_session_and_writes_nothing
        a_deleted_session_is_gone_and_its_names_are_free
        an_id_is_used_once
        a_name_given_twice_counts_once
        a_size_is_that_of_entries_and_snapshot
        any_bytes_come_back
        requests_are_bounded
        a_list_shows_the_newest_first_in_pages
        a_group_is_listed_and_measured_by_itself
        old_sessions_are_found
        idle_sessions_are_deleted_together
        what_is_due_comes_soonest_first;
    logs:
        entries_are_numbered_without_gaps
        a_snapshot_stands_for_the_entries_before_it
        a_refused_append_leaves_no_trace
        names_lead_to_the_session_they_were_appended_to
        an_unknown_session_is_told_as_such
        a_closed_store_refuses_everything
        everything_is_there_when_opened_again;
    leases:
        one_holder_at_a_time
        sessions_are_leased_apart
        a_released_lease_is_free_at_once
        leases_are_renewed_together_and_never_taken_anew
        only_the_newest_fence_writes;
    together:
        one_writer_wins_each_head
        a_bad_request_does_not_fail_its_neighbours
        a_name_is_created_once
        one_name_goes_to_one_session
        one_holder_gets_a_free_lease;
}

/// A module that is not declared above would never run.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store");
    let files =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let forgotten: Vec<String> = files
        .filter(|file| {
            let name = file.trim_end_matches(".rs");
            name != "main" && !main.contains(&format!("\nmod {name};"))
        })
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
