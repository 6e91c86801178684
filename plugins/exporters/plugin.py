"""Registers the forms in which `bench export --format` writes runs."""

from collections.abc import Callable

from eibench import Exporter, ExportOption, OnDemand, hookimpl

_HUB_DATASET = ExportOption(
    "hub_dataset", "the benchmark's dataset on the Hub.", "[BENCHMARK=]OWNER/NAME", multiple=True
)


@hookimpl
def register_exporters(register: Callable[[Exporter], None]) -> None:
    """Tables, and results of one model."""
    tables = "tables of runs, metrics, samples, grades and comparisons"
    for name, form in (("csv", "comma-separated"), ("parquet", "Parquet")):
        files = OnDemand(f"eibench.plugins.exporters.tables:{name}_files")
        register(Exporter(name, f"{tables}, {form}", files, takes_all=True))
    register(
        Exporter(
            "hf-eval",
            "results in a model's repository on the Hugging Face Hub",
            OnDemand("eibench.plugins.exporters.hf_eval:files"),
            (_HUB_DATASET, ExportOption("source", "where more can be seen.", "URL")),
        )
    )
    register(
        Exporter(
            "every-eval-ever",
            "results as records of Every Eval Ever",
            OnDemand("eibench.plugins.exporters.every_eval_ever:files"),
            (
                ExportOption("organization", "who ran the evaluation.", "NAME"),
                ExportOption("model_id", "the model's public name.", "DEVELOPER/NAME"),
            ),
        )
    )
