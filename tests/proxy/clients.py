"""Calls through `redraft proxy` with the providers' own libraries, as tests/proxy_clients.rs asks for them.

    clients.py FORM streamed|whole   one call in this wire form
    clients.py loop TICKET...        writer, critic and reviser over the tickets, with the openai library alone

The libraries find the proxy by the environment variables that it sets for its command. Prints what was said, byte for byte.
"""
import json
import sys

import anthropic
import openai

KEY = "sk-test-0123456789-secret"
chat = openai.OpenAI(api_key=KEY)
messages = anthropic.Anthropic(api_key=KEY)


def say(form, text):
    print(json.dumps([form, text]), flush=True)


def by_chat(turns, streamed, headers=None):
    asked = {"model": "m", "messages": turns, "max_tokens": 100}
    if not streamed:
        answer = chat.chat.completions.create(**asked, extra_headers=headers)
        assert answer.usage.completion_tokens == 7
        return answer.choices[0].message.content
    text = ""
    for piece in chat.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}, extra_headers=headers):
        for choice in piece.choices:
            text += choice.delta.content or ""
    assert piece.usage.completion_tokens == 7
    return text


def by_responses(user, streamed):
    asked = {"model": "m", "input": user, "max_output_tokens": 100}
    headers = {"x-redraft-ticket": "t0", "x-redraft-role": "writer"}
    if not streamed:
        return chat.responses.create(**asked, extra_headers=headers).output_text
    with chat.responses.stream(**asked, extra_headers=headers) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        assert stream.get_final_response().output_text == text
    return text


def by_messages(user, streamed):
    asked = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": user}]}
    headers = {"x-redraft-ticket": "t0", "x-redraft-role": "writer"}
    if not streamed:
        answer = messages.messages.create(**asked, extra_headers=headers)
        assert answer.usage.output_tokens == 7 and answer.stop_reason == "end_turn"
        return answer.content[0].text
    with messages.messages.stream(**asked, extra_headers=headers) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
        assert final.content[0].text == text and final.usage.output_tokens == 7
    return text


def one(form, streamed):
    if form == "openai-chat":
        headers = {"x-redraft-ticket": "t0", "x-redraft-role": "writer"}
        say(form, by_chat([{"role": "user", "content": "Was kostet «das»? 你好"}], streamed, headers))
    elif form == "openai-responses":
        say(form, by_responses("Was kostet «das»? 你好", streamed))
    else:
        say(form, by_messages("Was kostet «das»? 你好", streamed))


def loop(tickets):
    """Knows nothing of redraft: a loop as many have it."""
    for ticket in tickets:
        draft = by_chat(
            [{"role": "system", "content": "You write."}, {"role": "user", "content": f"W {ticket}: Question {ticket[1:]}?"}], False
        )
        critique = by_chat([{"role": "user", "content": f"C {ticket}: {draft}"}], True)
        draft = by_chat([{"role": "user", "content": f"R {ticket}: {draft} / {critique}"}], False)
        say(ticket, draft)


if sys.argv[1] == "loop":
    loop(sys.argv[2:])
else:
    one(sys.argv[1], sys.argv[2] == "streamed")
