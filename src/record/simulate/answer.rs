//! Answers in the body of each wire form, with token counts made up from lengths: what a provider would have sent.

use serde_json::{Value, json};

use crate::api::Wire;

/// What a simulated model says.
pub struct Said {
    pub text: String,
    /// Cut by the token limit.
    pub cut: bool,
}

/// A token a started four bytes, as a rule of thumb for English.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// The body of an answer. `asked` is the number of bytes of the request's body.
pub fn body(wire: &dyn Wire, model: &str, asked: usize, said: &Said) -> Result<Value, String> {
    let (input, output) = (tokens(asked), tokens(said.text.len()).max(1));
    let text = said.text.as_str();
    let end = |whole: &'static str, cut: &'static str| if said.cut { cut } else { whole };
    Ok(match wire.name() {
        "openai-chat" => json!({
            "object": "chat.completion",
            "model": model,
            "choices": [{"index": 0, "finish_reason": end("stop", "length"), "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
        }),
        "openai-responses" => {
            let mut body = json!({
                "object": "response",
                "model": model,
                "status": end("completed", "incomplete"),
                "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
                "usage": {"input_tokens": input, "output_tokens": output, "total_tokens": input + output},
            });
            if said.cut {
                body["incomplete_details"] = json!({"reason": "max_output_tokens"});
            }
            body
        }
        "anthropic" => json!({
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}],
            "stop_reason": end("end_turn", "max_tokens"),
            "usage": {"input_tokens": input, "output_tokens": output},
        }),
        "gemini" => json!({
            "modelVersion": model,
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": end("STOP", "MAX_TOKENS")}],
            "usageMetadata": {"promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output},
        }),
        "ollama" => json!({
            "model": model,
            "message": {"role": "assistant", "content": text},
            "done": true,
            "done_reason": end("stop", "length"),
            "prompt_eval_count": input,
            "eval_count": output,
        }),
        other => return Err(format!("model.provider: no answers can be made up in the form `{other}` yet")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api;
    use crate::model::{StopReason, Usage};

    #[test]
    fn every_wire_form_reads_its_own_answer() {
        for wire in api::ALL {
            for cut in [false, true] {
                let said = Said { text: "Hello there.\n".into(), cut };
                let body = body(*wire, "m1", 401, &said).unwrap();
                let reply = wire.reply(&body.to_string()).unwrap();
                assert_eq!(reply.text, said.text, "{}", wire.name());
                assert_eq!(reply.stop, if cut { StopReason::Length } else { StopReason::End }, "{}", wire.name());
                assert_eq!(reply.usage, Some(Usage { input: 101, cached: 0, output: 4 }), "{}", wire.name());
            }
        }
    }
}
