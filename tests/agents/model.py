#!/usr/bin/env python3
"""A model that agents can be driven with offline. Standard library only.

    POST /v1/chat/completions                     OpenAI chat completions
    POST /v1/responses                            OpenAI responses
    POST /v1/messages                             Anthropic messages
    POST /v1beta/models/M:streamGenerateContent   Gemini

It does what the last message says: `DELIVER NAME` has a shell tool write the file NAME, `NAME_MEDIA PATH` has it write the file at
PATH and then names it as an OpenClaw agent names a picture, `RECALL WORD` tells whether an earlier message holds the word, `WAIT`
talks for a minute. A result of a tool is answered with `DELIVERED`, everything else with `ok`.

It prints the port it listens at, and must never listen beyond the loopback.
"""
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELLS = ["bash", "shell", "shell_command", "exec_command", "local_shell", "run_shell_command", "terminal", "execute", "exec"]


def text_of(content):
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return str(content.get("text") or content.get("output") or text_of(content.get("content")))
    return "\n".join(text_of(part) for part in content or [])


def chat_said(body):
    return [(message.get("role"), text_of(message.get("content"))) for message in body.get("messages", [])]


def responses_said(body):
    given = body.get("input")
    if isinstance(given, str):
        return [("user", given)]
    kinds = {"function_call_output": "tool", "custom_tool_call_output": "tool", "function_call": "assistant"}
    return [(kinds.get(item.get("type"), item.get("role", "other")), text_of(item.get("content") or item.get("output")))
            for item in given or []]


def anthropic_said(body):
    # Results of tools come in the role of the person, several of them in one message.
    for message in body.get("messages", []):
        content = message.get("content")
        results = [] if isinstance(content, str) else [part for part in content or [] if part.get("type") == "tool_result"]
        yield from (("tool", text_of(part)) for part in results)
        if not results:
            yield message.get("role"), text_of(content)


def gemini_said(body):
    return [("tool" if any("functionResponse" in part for part in message.get("parts", [])) else message.get("role", "user"),
             text_of(message.get("parts"))) for message in body.get("contents", [])]


def tools_of(body):
    for tool in body.get("tools") or []:
        for one in tool.get("functionDeclarations") or [tool.get("function") or tool]:
            yield one.get("name") or one.get("type")


def decide(said, tools):
    """The text to say, and the command to run or nothing."""
    # Some agents say things of their own behind the person's words, in the role of the person.
    people = [(index, text) for index, (role, text) in enumerate(said) if role == "user"]
    results = [index for index, (role, _) in enumerate(said) if role == "tool"]
    orders = [(index, match) for index, text in people for match in re.finditer(r"\b(DELIVER|NAME_MEDIA|RECALL) ([\w./-]+)|\bWAIT\b", text)]
    if not orders:
        return "ok", None
    index, order = orders[-1]
    if results and results[-1] > index:
        return f"DELIVERED\nMEDIA:{order[2]}" if order[1] == "NAME_MEDIA" else "DELIVERED", None
    if order[0] == "WAIT":
        return "WAIT", None
    if order[1] == "RECALL":
        known = any(order[2] in text for earlier, text in people if earlier < index)
        return "REMEMBERED" if known else "FORGOTTEN", None
    if not any(tool.lower() in SHELLS for tool in tools):
        return "ok", None
    if order[1] == "NAME_MEDIA":
        return "", f"mkdir -p $(dirname {order[2]}) && printf made-by-a-model > {order[2]}"
    # An agent that keeps its folder is told where to write.
    told = [folder for later, text in people if later >= index
            for folder in re.findall(r"The current folder of this task is (\S+)\. Write", text)]
    return "", f"printf made-by-a-model > {told[-1] + '/' if told else ''}{order[2]}"


def words_of(text):
    if text == "WAIT":
        for number in range(300):
            yield f"still {number} "
            time.sleep(0.2)
    else:
        yield from re.findall(r"\s*\S+", text)


def chat(text, call):
    def chunk(delta, finish=None):
        return None, {"id": "c", "object": "chat.completion.chunk", "created": 1700000000, "model": "scripted",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in words_of(text):
        yield chunk({"content": word})
    if call:
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        yield chunk({"tool_calls": [{"index": 0, "id": call["id"], "type": "function", "function": function}]})
    name, last = chunk({}, "tool_calls" if call else "stop")
    yield name, {**last, "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
    yield None, "[DONE]"


def responses(text, call):
    numbers = iter(range(10 ** 6))

    def event(kind, **more):
        return kind, {"type": kind, "sequence_number": next(numbers), **more}

    def whole(status, items):
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
        return {"id": "r", "object": "response", "created_at": 1700000000, "status": status, "model": "scripted", "output": items,
                "usage": usage if status == "completed" else None}

    yield event("response.created", response=whole("in_progress", []))
    items = []
    if text:
        item = {"id": "m", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        yield event("response.output_item.added", output_index=0, item=item)
        done = ""
        for word in words_of(text):
            done += word
            yield event("response.output_text.delta", item_id="m", output_index=0, content_index=0, delta=word, logprobs=[])
        item = {**item, "status": "completed", "content": [{"type": "output_text", "text": done, "annotations": []}]}
        yield event("response.output_item.done", output_index=0, item=item)
        items.append(item)
    if call:
        item = {"id": "f", "type": "function_call", "status": "completed", "call_id": call["id"], "name": call["name"],
                "arguments": json.dumps(call["arguments"]), **({"namespace": call["namespace"]} if "namespace" in call else {})}
        yield event("response.output_item.added", output_index=len(items), item={**item, "status": "in_progress", "arguments": ""})
        yield event("response.output_item.done", output_index=len(items), item=item)
        items.append(item)
    yield event("response.completed", response=whole("completed", items))


def anthropic(text, call):
    def event(kind, **more):
        return kind, {"type": kind, **more}

    # Messages of the same id are taken for one by an agent.
    message = {"id": f"m_{call['id'] if call else 'last'}", "type": "message", "role": "assistant", "model": "scripted", "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {"input_tokens": 10, "output_tokens": 0}}
    yield event("message_start", message=message)
    index = 0
    if text:
        yield event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for word in words_of(text):
            yield event("content_block_delta", index=index, delta={"type": "text_delta", "text": word})
        yield event("content_block_stop", index=index)
        index += 1
    if call:
        yield event("content_block_start", index=index, content_block={"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}})
        yield event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": json.dumps(call["arguments"])})
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}, usage={"output_tokens": 5})
    yield event("message_stop")


def gemini(text, call):
    def chunk(part, **more):
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **more}
        return None, {"candidates": [candidate], "modelVersion": "scripted",
                      "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}

    for word in words_of(text):
        yield chunk({"text": word})
    if call:
        yield chunk({"functionCall": {"name": call["name"], "args": call["arguments"]}})
    yield chunk({"text": ""}, finishReason="STOP")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    calls = iter(range(10 ** 6))

    def log_message(self, *_):
        pass

    def decided(self, said, tools, _body):
        """The text to say, and the call to make or nothing."""
        text, command = decide(said, tools)
        if not command:
            return text, None
        name = next(tool for tool in tools if tool.lower() in SHELLS)
        arguments = {"command": command, "description": "writes a file"}
        if name != "Bash":  # It takes nothing that it does not know; others call it otherwise.
            arguments["cmd"] = command
        return text, {"id": f"call_{next(self.calls)}", "name": name, "arguments": arguments}

    def do_GET(self):
        self.json({"object": "list", "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "scripted"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/chat/completions"):
            said, speak = chat_said(body), chat
        elif path.endswith("/responses"):
            said, speak = responses_said(body), responses
        elif path.endswith("/messages"):
            said, speak = list(anthropic_said(body)), anthropic
        elif "enerateContent" in path:
            said, speak = gemini_said(body), gemini
        else:
            return self.json({"totalTokens": 10, "input_tokens": 10})
        tools = list(tools_of(body))
        text, call = self.decided(said, tools, body)
        streams = body.get("stream") or "streamGenerateContent" in path
        if not streams:
            return self.json(self.plain(path, speak, text, call))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            for name, event in speak(text, call):
                line = event if isinstance(event, str) else json.dumps(event)
                self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {line}\n\n".encode())
                self.wfile.flush()
        except OSError:
            pass  # The agent was stopped.
        self.close_connection = True

    def plain(self, path, speak, text, call):
        if speak is chat:
            message = {"role": "assistant", "content": text}
            if call:
                function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
                message["tool_calls"] = [{"id": call["id"], "type": "function", "function": function}]
            return {"id": "c", "object": "chat.completion", "created": 1700000000, "model": "scripted",
                    "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
        if speak is gemini:
            part = {"functionCall": {"name": call["name"], "args": call["arguments"]}} if call else {"text": text or " "}
            return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}]}
        if speak is anthropic:
            parts = [{"type": "text", "text": text}] * bool(text)
            if call:
                parts.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["arguments"]})
            return {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": parts, "stop_sequence": None,
                    "stop_reason": "tool_use" if call else "end_turn", "usage": {"input_tokens": 10, "output_tokens": 5}}
        return list(speak(text, call))[-1][1]["response"]

    def json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
