//! What the reference servers do wrong, each with a test here that would fail on their behaviour: over HTTP, with real sessions
//! and a scripted provider behind real HTTP. What needs a process is in `tests/cli/`, what needs neither beside the code.
//!
//! | Defect of the reference | Test |
//! |---|---|
//! | **How messages become a prompt** | |
//! | history resent with a key is stored again as text | [`history`]: `history_resent_with_a_key_is_stored_once`, `the_log_grows_with_what_is_new` |
//! | a result becomes user text | [`history`]: `a_result_is_never_user_text` |
//! | of several results only the last counts | [`history`]: `several_results_all_bind_in_one_request` |
//! | ids and order are not checked | [`history`]: `ids_and_order_are_checked_and_nothing_is_stored`, `a_list_that_ends_with_a_known_answer_is_refused` |
//! | `assistant.tool_calls` vanishes | [`history`]: `calls_of_an_assistant_without_text_are_kept` |
//! | pages of instructions of its own | [`history`]: `instructions_are_the_clients_and_not_stored` |
//! | raw and canonical key are two sessions, none comes back | [`history`]: `the_key_comes_back_and_either_form_leads_to_the_session` |
//! | **Tools of the client** | |
//! | a stub is the result for ever | [`tools`]: `the_one_result_of_a_call_is_the_clients` |
//! | three ids for one call | [`tools`]: `a_call_has_one_id_from_end_to_end` |
//! | words beside a call are lost | [`tools`]: `words_beside_a_call_are_kept` |
//! | the model is called before the client has answered | agent `service_tests`: `the_servers_tools_do_not_wait_for_the_client_and_the_model_waits_for_both`, `the_model_waits_for_every_result` |
//! | abandoned calls stay open | [`tools`]: `an_abandoned_call_gets_an_error_as_its_result`; agent `watch_tests`: `calls_that_nobody_answers_become_errors_by_themselves` |
//! | names of built-in tools are refused | [`tools`]: `a_tool_may_have_any_name` |
//! | the client's tools are hidden, the question is huge | [`tools`]: `a_tool_may_have_any_name`, `a_question_holds_what_the_client_sent_and_little_else` |
//! | **Errors** | |
//! | token, method, JSON, shapes, no user message, numbers out of range | [`refusals`]: `bad_input_is_told_and_leaves_nothing_behind`, `every_refusal_has_the_one_shape`; `front_door_tests`; `wire/bad_bodies_tests` |
//! | bad picture | [`refusals`]: `a_picture_is_left_out_with_a_warning` |
//! | a large body is a reset | `socket_tests`: `a_body_that_is_too_large_gets_an_answer_that_can_be_read` |
//! | a failing provider is 200, an empty stream, or a minute of silence | [`provider`]: `case_155_faults_are_typed_and_the_session_goes_on`, `case_155_what_passes_is_not_seen` |
//! | **Disconnect** | |
//! | the turn goes on for ever | [`provider`]: `a_client_that_goes_away_stops_its_turn_whole_or_streamed` |
//! | none may go on | [`provider`]: `a_background_turn_goes_on_without_its_client`, `a_client_that_comes_back_hears_the_same_answer` |
//! | **Anomalies of transcripts** | |
//! | two headers, none, two roots; the partial answer twice | agent `stream_tests`: `what_streamed_before_a_cancel_is_kept`; [`anomalies`]: `a_log_has_one_beginning` |
//! | a killed turn branches off, or is absent | `tests/cli/serve`: `a_server_that_is_killed_loses_nothing`; agent `random_tests` |
//! | a call without result, a result without call | [`anomalies`]: `calls_and_results_are_pairs_whatever_happens`; [`tools`]: `a_call_of_no_tool_is_kept_with_its_result`; agent `random_tests` |
//! | abort leaves an empty answer | [`anomalies`]: `a_cancelled_turn_leaves_no_empty_answer` |
//! | first lines that nobody said | [`anomalies`]: `a_log_has_one_beginning` |
//! | history or result as user text, stubs | [`history`], [`tools`] |
//! | a loop without guard | agent `service_tests`: `the_model_is_called_six_times_at_most`, `a_call_made_three_times_stops_the_turn`; agent `cases_tests`: case 159 |
//! | a switch of the model leaves no trace | [`anomalies`]: `every_answer_names_its_model` |
//! | text before a user's words | [`anomalies`]: `words_are_stored_as_they_were_sent` |
//! | **Durability** | |
//! | nothing is stored before the first answer; a killed turn loses the message | [`anomalies`]: `a_message_is_stored_before_the_provider_is_asked`; `tests/cli/killed` |
//! | streamed text is lost | agent `stream_tests`: `what_streams_is_in_the_log_while_it_streams`; `tests/cli/killed`: `what_was_streamed_is_there_after_a_kill` |
//! | a half-done round is not mended | agent `random_tests`, `machine_tests` |
//! | a session stays "running" | `tests/cli/killed`; agent `random_tests`: a new message is always answered |
//! | **What "better" would be** | |
//! | retries and duplicates | agent `service_tests`: `the_same_request_gets_the_same_answer`; `routes_tests`: `a_repeated_request_goes_on_behind_what_was_heard` |
//! | turns told apart | `wire/chat_answer_tests`: `a_stream_has_the_shape_of_the_api`; agent `cases_tests`: case 168 |
//! | heartbeat, final chunk, errors in a stream, resume | `socket_tests`: `a_silent_stream_has_a_heartbeat`; `routes_tests` |
//! | CORS | `front_door_tests`: `pages_on_this_machine_and_listed_ones_may_call` |
//! | fairness and 429 | agent `service_tests`: `too_many_requests_are_told_to_wait`; agent `manage_tests`: `places_are_shared_in_the_order_of_coming` |
//! | pictures and files left out in silence | [`attachments`]: each provider's own form of each, and who refuses which |
//! | reasoning lost between a call and its result | [`reasoning`] |
//! | histories that clients break | [`mended`]: `every_broken_history_is_answered_and_told` |
//! | load, start, memory, index | `cargo xtask bench serve` |
//! | internal tools visible over HTTP | `routes_tests`: `a_streamed_answer`; agent `tools_tests`: cases 149 and 163 |

mod anomalies;
mod attachments;
mod history;
mod likelihoods;
mod mended;
mod provider;
mod published;
mod reasoning;
mod refusals;
mod responses;
mod summaries;
mod tools;
mod whole;
