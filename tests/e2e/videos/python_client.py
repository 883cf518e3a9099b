"""What a user of OpenAI's Python client does with films, against a base URL and a key.

Usage: python_client.py BASE_URL KEY IMAGE FILM. Prints what it saw as one JSON object and keeps
the film as FILM. Nothing of the client is changed.
"""

import json
import sys
import warnings

import openai

# The client warns that the service it was made for is closed.
warnings.simplefilter("ignore", DeprecationWarning)


def main(base_url: str, key: str, image: str, film: str) -> dict:
    client = openai.OpenAI(base_url=base_url, api_key=key)
    made = client.videos.create_and_poll(
        model="sora-2", prompt="A paper boat on a pond", size="640x360", seconds="1"
    )
    client.videos.download_content(made.id).write_to_file(film)
    thumbnail = client.videos.download_content(made.id, variant="thumbnail").read()
    with open(image, "rb") as reference:
        begun = client.videos.create_and_poll(
            model="video-2",
            prompt="It sails on",
            input_reference=reference,
            size="640x360",
            seconds="1",
            poll_interval_ms=100,
            extra_body={"provider": "builtin"},
        )
    failed = client.videos.create_and_poll(
        model="failing", prompt="Never", size="640x360", seconds="1", poll_interval_ms=100
    )
    listed = [video.id for video in client.videos.list(limit=2)]
    deleted = client.videos.delete(made.id)
    return {
        "version": openai.__version__,
        "made": made.to_dict(),
        "thumbnail": thumbnail[8:12].decode("latin-1"),
        "begun": begun.to_dict(),
        "failed": failed.to_dict(),
        "listed": listed,
        "deleted": deleted.to_dict(),
        "errors": [
            error_of(lambda: client.videos.retrieve(made.id)),
            error_of(lambda: client.videos.delete(made.id)),
            error_of(lambda: client.videos.download_content(failed.id)),
            error_of(lambda: client.videos.create(prompt="x", size="1x1")),
            error_of(lambda: client.videos.remix(begun.id, prompt="x")),
            error_of(lambda: client.with_options(api_key="sk-none").videos.list()),
        ],
    }


def error_of(ask) -> list:
    try:
        ask()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.param]
    raise AssertionError("it was not refused")


if __name__ == "__main__":
    json.dump(main(*sys.argv[1:]), sys.stdout)
