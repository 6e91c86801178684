"""Secrets in settings: where they are found, and how settings are shown without them."""

from typing import Any

import pytest

from eibench import ConfigError, UsageError
from eibench.core.clients.keys import Environment, check_extra_body, choose_key
from eibench.core.clients.plugin import register_providers
from eibench.core.parties.secrets import (
    dotted,
    find_credentials,
    is_variable_name,
    shown_address,
    without_credentials,
)
from eibench.core.types import Sampling

SECRET = "fake-0123456789abcdef"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({name: SECRET}, name)
        for name in (
            "authorization", "Proxy-Authorization", "api_key", "api-key", "apikey", "apiKey",
            "x-api-key", "X_API_KEY", "openai_api_key", "access_token", "accessToken", "token",
            "password", "secret", "client_secret", "clientSecret", "aws_secret_access_key",
            "vertex_credentials", "Ocp-Apim-Subscription-Key", "cookie", "bearer", "hf_token",
            "jwt", "openrouter_key", "OPENROUTER_KEY", "groqKey", "pwd", "id_token", "github_token",
        )
    ] + [
        ({"a": [{"b": {"Token": SECRET}}]}, "a.0.b.Token"),
        ({"authorization": {"value": SECRET}}, "authorization"),
        ({"api_key": ["", SECRET]}, "api_key"),
        ({"properties": {"password": SECRET}}, "properties.password"),
        ({"routing": ["sk-fake-0123456789abcdef"]}, "routing.0"),
    ],
)  # fmt: skip
def test_credentials_are_found(body: dict[str, Any], place: str) -> None:
    """Whatever the spelling of their key, at any depth; and no message holds one."""
    assert [dotted(found) for found in find_credentials(body)] == [place]
    assert SECRET not in str(without_credentials(body))
    with pytest.raises(UsageError, match="an environment variable") as caught:
        check_extra_body(Sampling(extra_body=body))
    assert repr(place) in str(caught.value) and SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {"logit_bias": {"50256": -100, "password": -5}},
        {"stop_token_ids": [1, 2], "max_completion_tokens": 5, "min_tokens": 1},
        {"token_healing": True, "skip_special_tokens": False, "return_token_ids": True},
        {"eos_token": "</s>", "pad_token": "<pad>", "prompt_cache_key": "a", "top_k": 3},
        {"chat_template_kwargs": {"enable_thinking": False, "thinking": "on"}},
        {"guided_json": {"properties": {"password": {"type": "string", "title": "Secret"}}}},
        {"guided_json": {"$defs": {"Token": {"enum": ["a"]}}, "required": ["password"]}},
        {"guided_json": {"dependentRequired": {"password": ["user"]}}},
        {"idempotency_key": "a", "partition-key": "b", "image_token": "<image>", "cacheKey": "c"},
        {"api_key": "", "token": None, "secret": False},
        {"author": "x", "keyboard": "y", "passwords_seen": "z", "secretary": "w"},
    ],
)
def test_other_fields_are_no_credentials(body: dict[str, Any]) -> None:
    """Fields that servers know, properties of a schema, and what holds no text."""
    check_extra_body(Sampling(extra_body=body))
    assert without_credentials(body) == body


def test_depth_is_no_hiding_place() -> None:
    """A credential is found where recursion would end."""
    body: Any = {"token": SECRET}
    for _ in range(5000):
        body = [body]
    assert len(list(find_credentials(body))) == 1


@pytest.mark.parametrize(
    "value", ["sk-fake-0123456789abcdef", "hf_fake0123456789", "eyJmYWtlMTIz.eyJmYWtl.c2ln"]
)
def test_a_key_is_known_by_its_form(value: str) -> None:
    """Whatever it is called; words that begin alike are none."""
    assert without_credentials({"user": value}) == {"user": "[hidden]"}
    plain = {"user": value[:6], "stop": ["sk-", "hf_x"], "note": f"say {value}"}
    assert without_credentials(plain) == plain


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"https://user:{SECRET}@host.test/v1", "https://[hidden]@host.test/v1"),
        (f"http:/user:{SECRET}@host.test/v1", "http:/[hidden]@host.test/v1"),
        (f"user:{SECRET}@host.test", "[hidden]@host.test"),
        (f"https://u:p/{SECRET}@host.test", "https://[hidden]@host.test"),
        (f"https://host.test/v1?key={SECRET}", "https://host.test/v1?[hidden]"),
        (f"https://host.test/v1#{SECRET}?a", "https://host.test/v1#[hidden]"),
        (f"u:{SECRET}@host.test?{SECRET}\n{SECRET}", "[hidden]@host.test?[hidden]"),
        ("https://host.test/accounts/@me/v1", "https://host.test/accounts/@me/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str, shown: str) -> None:
    """Neither user, password, query nor fragment; the rest as it is."""
    assert shown_address(url) == shown


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("MY_API_KEY", True),
        ("KEY2", True),
        ("ORGANISATIONALACCESSTOKEN", True),
        ("sk-live-abcdefghijkl", False),
        ("gsk_abcdefghijklmnop", False),
        ("AKIA0123456789ABCDEF", False),
        ("my_key", False),
        ("", False),
    ],
)
def test_names_of_variables(text: str, is_name: bool) -> None:
    """Capitals in words; a long word with digits in it may be a key."""
    assert is_variable_name(text) is is_name


def _openai() -> Any:
    providers: list[Any] = []
    register_providers(providers.append)
    return next(provider for provider in providers if provider.name == "openai")


@pytest.mark.parametrize("key", ["sk-live-abcdefghijkl", "gsk_abcdefgh", "AKIA0123456789ABCDEF"])
def test_a_key_in_place_of_its_variable_is_not_repeated(key: str) -> None:
    """The error says what belongs there."""
    with pytest.raises(UsageError, match="takes the NAME of a variable") as caught:
        choose_key(_openai(), None, key, Environment({}))
    assert key not in str(caught.value)


def test_a_name_that_is_not_set_is_repeated() -> None:
    """As a slip in it is then seen."""
    with pytest.raises(ConfigError, match="the variable MY_API_KYE"):
        choose_key(_openai(), None, "MY_API_KYE", Environment({}))
