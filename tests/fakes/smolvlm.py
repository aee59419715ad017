"""A SmolVLM of a few thousand random weights, saved as the real ones are: config, tokenizer, template, safetensors.

What it says means nothing; that a picture and a question go in and words come out, on the same path, does.
"""

from __future__ import annotations

from pathlib import Path

PICTURES = ["<fake_token_around_image>", "<image>", "<global-img>"]
TILES = [f"<row_{row}_col_{column}>" for row in range(1, 5) for column in range(1, 5)]
SPECIAL = ["<unk>", "<|im_start|>", "<end_of_utterance>", *PICTURES, *TILES]
ROLES = ("unk_token", "bos_token", "eos_token")
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
CHAT = (
    "<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}{% if message['content'][0]['type'] =="
    " 'image' %}{{':'}}{% else %}{{': '}}{% endif %}{% for line in message['content'] %}{% if line['type'] == 'text' %}"
    "{{line['text']}}{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n"
    "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)


def saved(folder: Path, *, safetensors: bool = True) -> Path:
    """The folder with its files; `safetensors`: else with weights that only unpickling could read."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, SmolVLMConfig, SmolVLMForConditionalGeneration
    from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil

    names = [*SPECIAL, *LETTERS]
    vocabulary = {name: number for number, name in enumerate(names)}
    letters = Tokenizer(models.BPE(vocab=vocabulary, merges=[], **{ROLES[0]: SPECIAL[0]}))
    letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters.decoder = decoders.ByteLevel()
    tokens = PreTrainedTokenizerFast(
        tokenizer_object=letters,
        additional_special_tokens=[*PICTURES, *TILES],
        **dict(zip(ROLES, SPECIAL, strict=False)),
    )
    tokens.pad_token = tokens.bos_token
    tokens.chat_template = CHAT
    tokens.save_pretrained(folder)
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    begin, end = vocabulary["<|im_start|>"], vocabulary["<end_of_utterance>"]
    text = {"model_type": "llama", "vocab_size": len(names), "num_key_value_heads": 2, "max_position_embeddings": 8192}
    text |= {"bos_token_id": begin, "eos_token_id": end, "pad_token_id": begin}
    config = SmolVLMConfig(
        image_token_id=vocabulary["<image>"],
        scale_factor=2,
        pad_token_id=begin,
        vision_config=small | {"image_size": 32, "patch_size": 8},
        text_config=small | text,
    )
    torch.manual_seed(1)
    model = SmolVLMForConditionalGeneration(config)
    for weights in model.parameters():
        weights.data *= 12 if weights.dim() > 1 else 1  # so that what it sees matters for what it says
    model.save_pretrained(folder)
    if not safetensors:
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    SmolVLMImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32}).save_pretrained(folder)
    return folder
