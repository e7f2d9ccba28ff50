"""Conversations: from the records of a data set to turns, and the media in them.

The number of tokens of an image, a sound or a video depends on the model, and no tokenizer computes
it. The option --media-tokens sets it; without the option such samples are an error. The name of a
media file is never counted as words.
"""

from ..faults import NoLength, Undecided

ROLES = {  # ShareGPT's names of speakers, where chat templates have others
    "human": "user",
    "observation": "tool",
    **dict.fromkeys(("gpt", "chatgpt", "bing", "bard", "function_call"), "assistant"),
}
PICTURES = ("images", "image", "videos", "video")
MEDIA_KEYS = (*PICTURES, "audios", "audio")  # media columns of LLaMA-Factory, ms-swift and TRL
TEXT_TYPES = ("text", "input_text", "output_text")


class Conversation:
    """Turns of role and content as text, and the media that stood between them."""

    def __init__(self):
        self.messages = []
        self.media = {}  # how many of each type

    def add_media(self, kind, number=1):
        self.media[kind] = self.media.get(kind, 0) + number

    def texts(self):
        return [message["content"] for message in self.messages if message["content"]]


def media_type(kind):
    """'image' of 'image_url', 'audio' of 'input_audio'."""
    for known in ("image", "video", "audio"):
        if known in kind:
            return known
    return kind


def is_conversation(value):
    """Whether a value is a list of turns; an empty list may be one."""
    turns = isinstance(value, list) and all(isinstance(turn, dict) for turn in value)
    return turns and all("content" in turn or "value" in turn for turn in value)


def content_of(content, conversation):
    """The text of a turn; media in it go to the conversation."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise NoLength(f"has a turn whose content is of type {type(content).__name__}")
    texts = []
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        if isinstance(part, str):
            texts.append(part)
        elif kind in TEXT_TYPES or (kind is None and "text" in part):
            texts.append(part.get("text") or "")
        else:
            conversation.add_media(media_type(kind or "part of no type"))
    return "".join(texts)


def add_turn(turn, conversation):
    """A turn of role and content, or ShareGPT's from and value."""
    if "content" in turn:
        kept = {key: value for key, value in turn.items() if value is not None}
        kind, content, role = turn.get("type"), turn["content"], turn.get("role")
    else:
        kept, kind, content, role = {}, turn.get("type"), turn.get("value"), turn.get("from")
    if kind not in (None, *TEXT_TYPES):
        conversation.add_media(media_type(str(kind)))
        content = ""
    if role is None:
        raise NoLength("has a turn without a role")
    kept["role"] = ROLES.get(role, role)
    kept["content"] = content_of(content, conversation)
    conversation.messages.append(kept)


def conversation_of(turns, record):
    """The conversation in a list of turns. `record` is the row, which may have media columns."""
    conversation = Conversation()
    for turn in turns:
        add_turn(turn, conversation)
    add_media_beside(record, conversation)
    return conversation


def add_media_beside(record, conversation, keys=MEDIA_KEYS):
    """Media in separate columns. Media of a type that a turn also names are not counted twice."""
    for key in keys:
        value, kind = record.get(key), media_type(key)
        number = len(value) if isinstance(value, list) else int(bool(value))
        if number and kind not in conversation.media:
            conversation.add_media(kind, number)


class ChatCounter:
    """Tokens of conversations: by a chat template, or from their texts and the stated options."""

    def __init__(self, tokenizer, options):
        self.tokenizer, self.options = tokenizer, options
        self.added = tokenizer.added()
        stated = options.message_tokens is not None or options.conversation_tokens is not None
        self.plain = stated or options.template == "none" or tokenizer.name in ("words", "bytes")

    def tokens(self, conversation, record, generation):
        """`generation`: a reply follows, as for prompts that a policy answers."""
        number = self.media(conversation)
        if self.plain:
            return number + self._plain(conversation.texts(), len(conversation.messages))
        if not self.tokenizer.has_template:
            raise Undecided(
                "is a conversation, and the tokenizer has no chat template",
                "--template FILE; or --message-tokens N and --conversation-tokens N, which the job "
                "writes around texts",
            )
        options = template_options(record)
        if generation:
            options["add_generation_prompt"] = True
        return number + self.tokenizer.count_chat(conversation.messages, **options)

    def laid_out(self, texts):
        """Tokens of instruction, input, output, and of the text that the job writes around them."""
        if not self.plain:
            raise Undecided(
                "is an instruction, and the text that the job writes around it is not known",
                "--conversation-tokens N states the tokens of that text, 0 for none",
            )
        return self._plain(texts, 0)

    def _plain(self, texts, messages):
        around = self.options.conversation_tokens or 0
        around += (self.options.message_tokens or 0) * messages
        return around + sum(self.tokenizer.count(text) - self.added for text in texts)

    def media_beside(self, record, keys=MEDIA_KEYS):
        """Tokens of the media in separate columns of a text sample."""
        conversation = Conversation()
        add_media_beside(record, conversation, keys)
        return self.media(conversation)

    def media(self, conversation):
        """Tokens of a conversation's media. Undecided if no number is set for a type."""
        unknown = [kind for kind in conversation.media if kind not in self.options.media_tokens]
        if unknown:
            raise Undecided(
                f"holds {' and '.join(sorted(unknown))}, which no tokenizer counts",
                f"--media-tokens {unknown[0]}=N states the tokens of one",
            )
        stated = self.options.media_tokens
        return sum(stated[kind] * times for kind, times in conversation.media.items())


def template_options(record):
    """The arguments that TRL passes to the template: tools, and the record's own options."""
    options = dict(record.get("chat_template_kwargs") or {})
    if record.get("tools"):
        options["tools"] = record["tools"]
    return options
