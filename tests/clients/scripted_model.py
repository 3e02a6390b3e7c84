#!/usr/bin/env python3
"""A model server that answers chat completions from a script. Standard library only.

    POST /v1/chat/completions   an answer, whole or streamed
    GET  /__log                 every request received since the last reset
    POST /__reset               forgets the log and rewinds the script

A script is {"turns": [TURN…], "default": TURN}. The first turn that fits and is not used up is given. A turn has
`when` (last_role, contains, anywhere, has_tools), `times` (1; 0 is without end), `reasoning`, `text`, `tool_calls` (name, args; `*`
is the first tool that is offered) and `fault`: status (code, retry_after), truncate (a clean end after `after` chunks, without its terminator) or disconnect (the
connection is reset after them).

It prints the port it listens at, and must never listen beyond the loopback.
"""
import json
import re
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Seconds between the pieces of an answer, as a model takes them: pieces that come at once may be passed on as one.
PACE = 0.03


class Script:
    def __init__(self, document):
        self.document = document
        self.lock = threading.Lock()
        self.reset()

    def reset(self):
        with self.lock:
            self.left = [turn.get("times", 1) or float("inf") for turn in self.document["turns"]]
            self.log = []

    def answer(self, body):
        with self.lock:
            self.log.append(body)
            number = len(self.log)
            for index, turn in enumerate(self.document["turns"]):
                if self.left[index] > 0 and fits(turn.get("when", {}), body):
                    self.left[index] -= 1
                    return number, turn
            return number, self.document["default"]


def text_of(content):
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def fits(when, body):
    said = [(message.get("role"), text_of(message.get("content"))) for message in body.get("messages", [])]
    role, text = said[-1] if said else ("", "")
    return (
        when.get("last_role", role) == role
        and when.get("contains", "") in text
        and any(when.get("anywhere", "") in earlier for _, earlier in said or [("", "")])
        and when.get("has_tools", bool(body.get("tools"))) == bool(body.get("tools"))
    )


def offered(call, body):
    """A call by the name of a tool that is there: of those in `names`, or for `*` the first that is offered."""
    tools = [tool["function"]["name"] for tool in body.get("tools", []) if tool.get("type") == "function"]
    if call.get("name") == "*":
        return {**call, "name": tools[0]}
    if "names" in call:
        name = next((name for name in call["names"] if name in tools), call["names"][0])
        return {"name": name, "args": call["args"][name]}
    return call


def chunks_of(number, turn, body):
    with_usage = (body.get("stream_options") or {}).get("include_usage")

    def chunk(delta, finish=None, choices=True, **more):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1700000000, "model": "scripted",
                "choices": [choice] if choices else [], **more}

    def text_chunk(piece):
        made = chunk({"content": piece})
        if body.get("logprobs"):
            token = {"token": piece, "logprob": -0.25, "bytes": list(piece.encode()), "top_logprobs": []}
            made["choices"][0]["logprobs"] = {"content": [token], "refusal": None}
        return made

    yield chunk({"role": "assistant", "content": ""})
    for piece in re.findall(r"\s*\S+\s*$|\s*\S+", turn.get("reasoning", "")):
        yield chunk({"reasoning_content": piece})
    for piece in re.findall(r"\s*\S+\s*$|\s*\S+", turn.get("text", "")):
        yield text_chunk(piece)
    calls = [offered(call, body) for call in turn.get("tool_calls", [])]
    for index, call in enumerate(calls):
        arguments = json.dumps(call["args"])
        middle = len(arguments) // 2
        yield chunk({"tool_calls": [{"index": index, "id": f"call_{number}_{index}", "type": "function",
                                     "function": {"name": call["name"], "arguments": ""}}]})
        for piece in (arguments[:middle], arguments[middle:]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    if with_usage:
        yield chunk({}, choices=False, usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.json(200, self.server.script.log)

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        if self.path == "/__reset":
            self.server.script.reset()
            return self.json(200, {})
        body = json.loads(raw)
        number, turn = self.server.script.answer(body)
        fault = turn.get("fault", {})
        if fault.get("kind") == "status":
            more = {"retry-after": str(fault["retry_after"])} if "retry_after" in fault else {}
            return self.json(fault["code"], {"error": {"message": "scripted failure", "code": str(fault["code"])}}, more)
        if not body.get("stream"):
            return self.json(501, {"error": {"message": "this script only streams", "code": "501"}})
        self.stream(chunks_of(number, turn, body), fault)

    def stream(self, chunks, fault):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for index, chunk in enumerate(chunks):
            if fault and index >= fault["after"]:
                if fault["kind"] == "disconnect":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    self.close_connection = True
                    return
                break
            self.part(f"data: {json.dumps(chunk)}\n\n")
            time.sleep(PACE)
        else:
            self.part("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def part(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def json(self, status, value, more=None):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in (more or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        script = Script(json.load(file))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.script = script
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
