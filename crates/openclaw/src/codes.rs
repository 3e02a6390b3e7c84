//! The codes of gateways.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    GATEWAY_CONNECT_FAILED: Model, 502 {
        summary: "No connection to the gateway comes about.",
        why: "\
            It does not run at its address, does not speak the protocol, or does not let this server in: \
            its token is another one, or this device is not paired there. Nothing was begun.",
        remedy: "\
            Look whether the gateway runs, and compare `OPENCLAW_GATEWAY_URL` and \
            `OPENCLAW_GATEWAY_TOKEN` with its settings. The message says when a device is to be approved, \
            and with which command.",
    }
    GATEWAY_EXECUTION_FAILED: Model, 502 {
        summary: "The gateway, or its agent, answers with an error.",
        why: "\
            The message repeats its words: a model that refuses, a setting that is missing, a request \
            that it does not take.",
        remedy: "Look at the gateway's log, correct what the message names, then ask again.",
    }
    GATEWAY_IDENTITY_UNUSABLE: Model, 502 {
        summary: "The key of this device cannot be read or made.",
        why: "\
            A gateway knows this server by a key, which is kept in `gateway/gateway.key` beneath the \
            folder for data. The file is damaged, or its folder cannot be written to.",
        remedy: "\
            Correct the rights, or bring the file back from a backup. Without it, remove the file: a new \
            key is made, and the gateway may want the new device to be approved.",
    }
    GATEWAY_UNAVAILABLE: Model, 502 {
        summary: "The gateway did not answer in time.",
        why: "It is overloaded, or it hangs. A request that was sent may have been heard.",
        remedy: "Look at the gateway's log and its load, then ask again.",
    }
    OPENCLAW_SESSION_MISMATCH: Model, 502 {
        summary: "The gateway answered for another session than it was asked for.",
        why: "\
            Its settings lead the session key elsewhere, or the key belongs to somebody else there. The \
            run was stopped, as its answers would be another conversation's.",
        remedy: "Use another `openclawSessionKey`, or look at the gateway's settings of sessions.",
    }
}
