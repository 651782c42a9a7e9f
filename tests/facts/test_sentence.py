"""What is read out of a sentence, kind by kind; each id names the harm of reading it wrongly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.facts.conftest import NAMES
from trustops.facts import Deadline, Fact, Names, Negation, Quantity, read


def of_kind(text: str, kind: str, doc: str = "prior_answer") -> list[Fact]:
    return [fact for fact in read(text, NAMES, doc).facts if fact.kind == kind]


QUANTITIES = [
    pytest.param("Passphrases have no fewer than sixteen characters.", "at_least", ["16"], "character", id="no fewer than is a floor"),
    pytest.param("Sessions last up to 8 hours.", "at_most", ["8"], "hour", id="up to is a ceiling"),
    pytest.param("The RTO is 4 hours.", "exactly", ["4"], "hour", id="an objective is not a ceiling"),
    pytest.param("A restore takes about 1 hour 20 minutes.", "about", ["80"], "minute", id="mixed units are one amount"),
    pytest.param("Liability is capped at USD 2 million.", "at_most", ["2000000"], "count:usd", id="a cap on money is no floor"),
    pytest.param("131 of 140 devices report in.", "exactly", ["131", "140"], "count:device", id="a ratio is not two counts"),
    pytest.param("Roughly 92 percent of devices report in.", "about", ["92"], "percent", id="roughly is not exactly"),
    pytest.param("日志保存不少于十二个月。", "at_least", ["12"], "month", id="Chinese numerals are one number"),
    pytest.param("120台服务器中有118台已加固。", "exactly", ["118", "120"], "count:server", id="Chinese ratios put the whole first"),
    pytest.param("演练约需两个半小时。", "about", ["150"], "minute", id="two and a half hours"),
    pytest.param("保额不少于３００万元人民币。", "at_least", ["3000000"], "count:cny", id="full-width digits and 万"),
]


@pytest.mark.parametrize(("text", "comparator", "value", "unit"), QUANTITIES)
def test_quantity(text: str, comparator: str, value: list[str], unit: str) -> None:
    labels = [fact.to_label() for fact in of_kind(text, "quantity")]
    assert [(label["comparator"], label["value"], label["unit"]) for label in labels] == [(comparator, value, unit)]


DEADLINES = [
    pytest.param("We notify customers within two days of discovery.", "at_most", "2", "day", "after", id="within is a limit"),
    pytest.param("Notice is given no later than 36 hours after discovery.", "at_most", "36", "hour", "after", id="no later than"),
    pytest.param("Tickets close in under 5 days.", "less_than", "5", "day", "after", id="in under"),
    pytest.param("Customers get 45 days' prior notice.", "at_least", "45", "day", "before", id="notice runs backwards"),
    pytest.param("事件发生后36小时之内通报。", "at_most", "36", "hour", "after", id="Chinese within"),
    pytest.param("须提前20个工作日书面通知。", "at_least", "20", "business_day", "before", id="Chinese notice"),
]


@pytest.mark.parametrize(("text", "comparator", "value", "unit", "direction"), DEADLINES)
def test_deadline(text: str, comparator: str, value: str, unit: str, direction: str) -> None:
    (fact,) = of_kind(text, "deadline")
    assert isinstance(fact, Deadline)
    assert (fact.comparator, fact.value, fact.unit, fact.direction) == (comparator, (Fraction(value),), unit, direction)


FREQUENCIES = [
    pytest.param("Keys are rotated three times a year.", "exactly", "P4M", id="times a year is an interval"),
    pytest.param("Access is reviewed no less than once per quarter.", "at_least", "P3M", id="a floor on the rate"),
    pytest.param(
        "Tests run at intervals not exceeding six months.", "at_least", "P6M", id="a ceiling on the interval is a floor on the rate"
    ),
    pytest.param("Scans run every other week.", "exactly", "P2W", id="every other week"),
    pytest.param("每两年至少演练一次。", "at_least", "P2Y", id="Chinese interval and floor"),
    pytest.param("每年两次复核。", "exactly", "P6M", id="Chinese times a year"),
]


@pytest.mark.parametrize(("text", "comparator", "every"), FREQUENCIES)
def test_frequency(text: str, comparator: str, every: str) -> None:
    assert [(f.to_label()["comparator"], f.to_label()["every"]) for f in of_kind(text, "frequency")] == [(comparator, every)]


NEGATIONS = [
    pytest.param("Data is deleted no later than 30 days after exit.", [False], id="no later than is not a denial"),
    pytest.param("Not only staff but suppliers are trained.", [False], id="not only is not a denial"),
    pytest.param("Certificate No. 17-A was issued.", [False], id="a number is not a denial"),
    pytest.param("There is no laptop that is not encrypted.", [False, False], id="a doubled negator affirms"),
    pytest.param("We do not hold that certificate.", [True], id="a plain denial"),
    pytest.param("Neither logs nor backups leave the region.", [True, True], id="neither nor denies once, it does not affirm"),
    pytest.param("An application that cannot use it needs an exception.", [False], id="a relative clause denies nothing of the sentence"),
    pytest.param("If no answer comes, the manager is called.", [False], id="a condition denies nothing"),
    pytest.param("数据保留不超过30天。", [False], id="不超过 is not a denial"),
    pytest.param("尚未取得该认证。", [True], id="尚未 denies"),
    pytest.param("贵司是否加密备份？", [], id="是否 is a question"),
    pytest.param("部署于美国境内的非洲节点。", [], id="非洲 is a continent"),
]


@pytest.mark.parametrize(("text", "denied"), NEGATIONS)
def test_negation(text: str, denied: list[bool]) -> None:
    assert [fact.denied for fact in of_kind(text, "negation") if isinstance(fact, Negation)] == denied


SINGLE = [
    pytest.param(
        "Clients connect with TLS 1.2 or later.", "version", {"product": "TLS", "comparator": "at_least", "value": "1.2"}, id="a floor"
    ),
    pytest.param("系统支持TLS1.3及以上版本。", "version", {"product": "TLS", "comparator": "at_least", "value": "1.3"}, id="Chinese floor"),
    pytest.param("It runs Kubernetes 1.29 to 1.31.", "version", {"comparator": "between", "value": "1.29..1.31"}, id="a range of versions"),
    pytest.param("Volumes use 256-bit AES.", "standard", {"name": "AES", "strength": "256"}, id="key length before the name"),
    pytest.param("We hold a SOC 2 Type 1 report.", "standard", {"name": "SOC 2", "strength": "Type I"}, id="Type 1 is not Type II"),
    pytest.param("通过等保三级测评。", "standard", {"name": "MLPS", "strength": "3"}, id="Chinese levels"),
    pytest.param("All staff sign.", "scope", {"coverage": "all", "canonical": "employees"}, id="staff are employees, not the workforce"),
    pytest.param("Not all tenants use it.", "scope", {"coverage": "some", "canonical": "all_customers"}, id="not all is some"),
    pytest.param("Nearly all tenants use it.", "scope", {"coverage": "some", "canonical": "all_customers"}, id="nearly all is some"),
    pytest.param("仅管理员可登录。", "scope", {"coverage": "only", "canonical": "administrators"}, id="仅 excludes the others"),
    pytest.param("Tapes are kept, archives excepted.", "exception", {}, id="an exception behind the noun"),
    pytest.param("Issued 07/05/2026.", "date", {"value": "ambiguous", "readings": ["2026-05-07", "2026-07-05"]}, id="no date is guessed"),
    pytest.param("Valid until 2027-03-01.", "date", {"value": "2027-03-01", "role": "expires"}, id="expiry"),
    pytest.param("Nimbuscore holds the certificate.", "attribution", {"value": "subcontractor"}, id="a subcontractor is not us"),
    pytest.param("（征求意见稿）口令每年更换。", "attribution", {"value": "draft"}, id="a draft is not in force"),
    pytest.param("Data never leaves.", "absolute", {"value": "never"}, id="never"),
]


@pytest.mark.parametrize(("text", "kind", "fields"), SINGLE)
def test_one_fact(text: str, kind: str, fields: dict[str, object]) -> None:
    labels = [fact.to_label() for fact in of_kind(text, kind)]
    assert len(labels) == 1
    assert {name: labels[0][name] for name in fields} == fields


MOODS = [
    pytest.param("Logs must be kept.", "policy", "policy", id="a rule is not a fact"),
    pytest.param("Logs should be kept.", "policy", "recommendation", id="advice is not a rule"),
    pytest.param("We will offer SCIM in 2027.", "prior_answer", "plan", id="a plan is not a fact"),
    pytest.param("Supplier will delete the data.", "contract", "policy", id="will binds in a contract"),
    pytest.param("The test was performed in May 2026.", "pen_test", "past", id="a record is past"),
    pytest.param("Keys are stored in a vault.", "policy", "fact", id="present indicative is a fact"),
    pytest.param("事件响应由安全部负责。", "policy", "fact", id="响应 holds no 应"),
    pytest.param("口令须每年更换。", "policy", "policy", id="须 is a rule"),
]


@pytest.mark.parametrize(("text", "doc", "mood"), MOODS)
def test_modality(text: str, doc: str, mood: str) -> None:
    assert [fact.to_label()["value"] for fact in of_kind(text, "modality", doc)] == [mood]


def test_any_is_no_absolute_and_a_list_number_no_fact() -> None:
    read_back = read("3. Is any data kept?", NAMES, "questionnaire")
    assert not [fact for fact in read_back.facts if fact.kind in ("absolute", "quantity")]


def test_a_number_inside_a_frequency_is_not_read_twice() -> None:
    assert not [f for f in read("Keys are rotated every 90 days.", NAMES).facts if isinstance(f, Quantity)]


def test_names_are_configuration_and_not_built_in() -> None:
    assert not [fact for fact in read("Nimbuscore holds the certificate.", Names()).facts if fact.kind == "attribution"]
