# SPDX-License-Identifier: BSD-3-Clause
"""The scenarios in which run.py runs each program: settings, arguments, and what has to come of them."""
import pathlib

from checks import (NOT_COMPARED, Bits, Profiled, Suggestions, all_of, audited, bounded_by, chosen, coded_with,
                    compressed_bytes, counted, differ, each_with_a_ratio, errors, exceeded, never_plain, page_with, plain,
                    plain_for_nothing_but, ratio, says, tuned, where_ranks_are_several)

REDUCTIONS = {"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block"}
SCANS = {"scan", "exscan"}
NEIGHBORS = {"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv"}
MOVEMENT = {"bcast", "allgather", "allgatherv", "scatter", "scatterv", "gather", "gatherv", "alltoall", "alltoallv"}


class Scenario:
    """Settings, the program's arguments, and the operations that have to be compressed with more than one rank (None: any
    may be).

    Starting a job takes longer than most programs run, so that not every scenario runs with every number of ranks.
    check: gets (args, what was said, the report's operations) and returns a list of problems. code: 0, or any other.
    """

    def __init__(self, name, settings, args, compressed=(), preload=True, check=None, code=0, always=False):
        self.name, self.settings, self.args = name, settings, args
        self.compressed = compressed if compressed is None else set(compressed)
        self.preload, self.check, self.code, self.always = preload, check, code, always


PROFILE = str(pathlib.Path(__file__).resolve().parent / "pinned.profile")
BOUND = {"LACONIC_BOUND": "abs:1e-3", "LACONIC_MIN_BYTES": "1000"}
ALL = {**BOUND, "LACONIC_INCLUDE": "movement"}
EVERYTHING = {**ALL, "LACONIC_P2P": "1"}
LOSSLESS = {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement", "LACONIC_P2P": "1"}
WITHOUT = Scenario("without", {}, ["exact"], preload=False)
NO_BOUND = Scenario("no bound", {}, ["exact"])
EXCLUDED = Scenario("all excluded", {**ALL, "LACONIC_EXCLUDE": "all"}, ["exact"])

BITS = Bits()
SUGGESTIONS = Suggestions(BOUND)
PROFILED = Profiled()
PROFILING = {"LACONIC_REPORT": "profile:json:"}
BUFFER = 8000  # bytes of a call of counted_only.cpp
BYTES = 48000  # of a message of bytes.cpp
SUMMARY = {**BOUND, "LACONIC_REPORT": "summary"}
BOUNDED = ("send", "allreduce", "allreduce_large", "allreduce_fft", "allreduce_float", "alltoallv", "alltoallv_fft", "bcast",
           "ibcast")


def by_rules(bound):
    return {"LACONIC_BOUND": bound, "LACONIC_MIN_BYTES": "1000", "LACONIC_INCLUDE": "all"}


def reading(rule):
    return {**BOUND, "LACONIC_INCLUDE": rule}


RULES = by_rules("send=abs:1e-5,alltoallv+comm:fft=abs:1e-8,allreduce+size>=100K=abs:1e-4,type:float=abs:1e-3,abs:1e-6")
SCENARIOS = {
    "endings": [
        Scenario("each call reported", {**BOUND, "LACONIC_REPORT": "each"}, ["within", "1e-3"], always=True),
        # What a job makes of ranks that leave without a word differs between MPIs.
        Scenario("without MPI_Finalize", SUMMARY, ["within", "1e-3", "none"], code=None,
                 check=says("results are right", "report of rank 0 alone")),
        Scenario("MPI_Abort inside a collective", BOUND, ["within", "1e-3", "abort"], code=1),
        Scenario("the report as a page", {**ALL, "LACONIC_REPORT": "html:"}, ["within", "1e-3"], check=page_with("abs:1e-3", "allreduce")),
        Scenario("a page without a bound", {"LACONIC_REPORT": "html:"}, ["exact"],
                 check=where_ranks_are_several(page_with("LACONIC_BOUND=rel:1e-6", NOT_COMPARED))),
        Scenario("a summary without a bound", {"LACONIC_REPORT": "summary"}, ["exact"], check=differ(NOT_COMPARED)),
        Scenario("a report that cannot be written", {**BOUND, "LACONIC_REPORT": "json:/no/such/folder/file"},
                 ["within", "1e-3"], check=says("/no/such/folder/file cannot be written")),
        Scenario("a bound that is none", {"LACONIC_BOUND": "1e-3"}, ["exact"], code=1,
                 check=says("LACONIC_BOUND: bound '1e-3' is not valid")),
        Scenario("a variable that is none", {"LACONIC_BUOND": "abs:1"}, ["exact"], code=1,
                 check=says("'LACONIC_BUOND' is not valid; valid are LACONIC_BOUND")),
        Scenario("a report that is none", {"LACONIC_REPORT": "loud"}, ["exact"], code=1,
                 check=says("LACONIC_REPORT: 'loud' is not valid; valid are summary, each, json:FILE, html:FILE")),
        Scenario("an audit that is none", {"LACONIC_AUDIT": "0"}, ["exact"], code=1, check=says("LACONIC_AUDIT: '0'")),
        Scenario("a profile that is none", {"LACONIC_TUNE": "/no/such/profile"}, ["exact"], code=1,
                 check=says("on, off and the file of a profile: profile '/no/such/profile' cannot be read")),
        Scenario("a rule that is none", {"LACONIC_EXCLUDE": "bcats"}, ["exact"], code=1,
                 check=says("LACONIC_EXCLUDE: 'bcats' is not valid; valid are operations")),
        Scenario("an inclusion of no operation", {"LACONIC_INCLUDE": "comm:x"}, ["exact"], code=1,
                 check=says("LACONIC_INCLUDE: every item must name an operation")),
        Scenario("rules by name, type, size and site",
                 {**SUMMARY, "LACONIC_EXCLUDE": "comm:no*,site:no*,type:float,size<8,allreduce+size>=1G,!comm:MPI_*"},
                 ["within", "1e-3"]),
        Scenario("excluded by its name", {**BOUND, "LACONIC_EXCLUDE": "comm:MPI_COMM_W*"}, ["exact"]),
        Scenario("excluded by its site", {**BOUND, "LACONIC_EXCLUDE": "site:dropin_*"}, ["exact"]),
        Scenario("excluded by its size", {**BOUND, "LACONIC_EXCLUDE": "size>=1K"}, ["exact"]),
        Scenario("ranks with different bounds", {**BOUND, "TEST_DIFFER": "LACONIC_BOUND=abs:2e-3"}, ["exact"],
                 check=differ("the settings LACONIC_... differ between ranks, or the releases")),
        Scenario("a rank without settings", {**BOUND, "TEST_DIFFER": "-uLACONIC_BOUND"}, ["exact"],
                 check=differ("the settings LACONIC_... differ between ranks, or the releases")),
        Scenario("a rank with a mistake", {**BOUND, "TEST_DIFFER": "LACONIC_CODEC=none"}, ["exact"], code=1,
                 check=differ("LACONIC_CODEC: codec 'none' is not valid")),
    ],
    "allocations": [
        WITHOUT, Scenario("compressed", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3"], {"send", "allreduce"}, always=True),
        Scenario("left to MPI", {"LACONIC_P2P": "1"}, ["exact"]),
    ],
    "collectives": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], REDUCTIONS),
        Scenario("everything", ALL, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT, always=True),
        Scenario("dense", {**ALL, "LACONIC_EFFORT": "dense"}, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT,
                 check=coded_with("dense")),
        Scenario("light", {**ALL, "LACONIC_EFFORT": "light"}, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT,
                 check=coded_with("quant")),
        Scenario("tuned", {**ALL, "LACONIC_TUNE": "on"}, ["within", "1e-3", "all"], None,
                 check=all_of(plain("slower", "allreduce", "bcast"), tuned)),
        Scenario("a profile", {**ALL, "LACONIC_TUNE": PROFILE}, ["within", "1e-3", "all"], {"allreduce"}, always=True,
                 check=all_of(plain("slower", "bcast"), never_plain("slower", "allreduce"), chosen(bcast="plain"))),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], REDUCTIONS | MOVEMENT),
        # What moves and what is added up are integers alone, and floating-point numbers are not named.
        Scenario("integers named", {**BOUND, "LACONIC_INCLUDE": "all+type:integer"}, ["within", "1e-3"],
                 REDUCTIONS | MOVEMENT, check=plain("rule", *MOVEMENT)),
        Scenario("integers alone", {**BOUND, "LACONIC_CODEC": "szx", "LACONIC_EXCLUDE": "!type:integer",
                                    "LACONIC_INCLUDE": "allreduce+type:integer,reductions+size>=1G+type:integer"},
                 ["exact"], {"allreduce"}, check=plain("rule", "reduce")),
        Scenario("integers not named", ALL, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT,
                 check=plain("type", *REDUCTIONS, *MOVEMENT)),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "3"}, ["within", "1e-3", "all"], REDUCTIONS | MOVEMENT),
        Scenario("audit that keeps plain results", {**ALL, "LACONIC_AUDIT": "1:plain"}, ["exact"], REDUCTIONS | MOVEMENT),
    ],
    "requests": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}),
        Scenario("everything", ALL, ["within", "1e-3", "all"], {"allreduce", "allgather", "bcast"}),
        Scenario("from threads", BOUND, ["within", "1e-3", "threads"], {"allreduce"}, always=True),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], {"allreduce", "allgather", "bcast"}),
        Scenario("audit that keeps plain results", {**ALL, "LACONIC_AUDIT": "1:plain"}, ["exact"],
                 check=plain("audit", "allreduce", "allgather", "bcast")),
        Scenario("nothing but blocking calls", {**BOUND, "LACONIC_EXCLUDE": "nonblocking,persistent"}, ["exact"]),
    ],
    "duplicates": [
        WITHOUT, NO_BOUND, Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}, always=True),
    ],
    "handles": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("everything", ALL, ["within", "1e-3", "all"], {"bcast", "allgather", "gather"}, always=True),
        Scenario("everything, and messages", {**ALL, "LACONIC_P2P": "1"}, ["within", "1e-3", "all", "messages"],
                 {"bcast", "allgather", "gather", "send"}, always=True),
        Scenario("tuned", {**ALL, "LACONIC_P2P": "1", "LACONIC_TUNE": "on"}, ["within", "1e-3", "all", "messages"], None,
                 check=all_of(plain("slower", "send"), tuned)),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement",
                              "LACONIC_P2P": "1"}, ["exact"], {"bcast", "allgather", "gather"}),
    ],
    "persistent": [
        WITHOUT, NO_BOUND,
        Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}),
        Scenario("everything", ALL, ["within", "1e-3", "all"], {"allreduce"}, always=True),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "all+type:integer"},
                 ["exact"], {"allreduce"}),
        EXCLUDED,
    ],
    "messages": [
        WITHOUT, NO_BOUND, Scenario("all excluded", {**ALL, "LACONIC_P2P": "1", "LACONIC_EXCLUDE": "all"}, ["exact"]),
        Scenario("asked for without a bound", {"LACONIC_P2P": "1"}, ["exact"], check=plain("no_bound", "send")),
        Scenario("not asked for", ALL, ["exact"]),
        Scenario("compressed", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3"], {"send"}, always=True),
        Scenario("included by a rule", {**BOUND, "LACONIC_INCLUDE": "all"}, ["within", "1e-3"], {"send"}, always=True),
        Scenario("included by their name", {**BOUND, "LACONIC_INCLUDE": "send+type:double"}, ["within", "1e-3"], {"send"},
                 check=plain("rule", "send")),
        Scenario("excluded from all", {**BOUND, "LACONIC_INCLUDE": "all", "LACONIC_P2P": "0"}, ["exact"]),
        Scenario("integers alone", {**BOUND, "LACONIC_INCLUDE": "all+type:integer"}, ["exact"]),
        Scenario("each message reported", {**BOUND, "LACONIC_P2P": "1", "LACONIC_REPORT": "each"}, ["within", "1e-3"],
                 check=each_with_a_ratio("send")),
        Scenario("audit", {**BOUND, "LACONIC_P2P": "1", "LACONIC_AUDIT": "1"}, ["within", "1e-3"], {"send"},
                 check=audited("send")),
        Scenario("audit that keeps plain results", {**BOUND, "LACONIC_P2P": "1", "LACONIC_AUDIT": "1:plain"}, ["exact"],
                 {"send"}, check=audited("send")),
        Scenario("from threads", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3", "threads"], {"send"}),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_P2P": "1"}, ["exact"],
                 {"send"}),
    ],
    "bits": [
        Scenario("without", {}, [], preload=False, check=BITS.first, always=True),
        Scenario("no bound", {}, [], check=BITS.same),
        Scenario("no bound, and a report", {"LACONIC_REPORT": "summary"}, [], check=BITS.same),
        Scenario("all excluded", {**EVERYTHING, "LACONIC_EXCLUDE": "all"}, [], check=BITS.same),
        Scenario("audit that keeps plain results", {**EVERYTHING, "LACONIC_AUDIT": "1:plain"}, [],
                 {"send"} | REDUCTIONS | MOVEMENT | SCANS,
                 check=all_of(BITS.same, audited("send", "allreduce", "bcast", "alltoall")), always=True),
        Scenario("suggestions are made", BOUND, [], REDUCTIONS, check=SUGGESTIONS.make),
        Scenario("suggestions are followed", SUGGESTIONS.settings, [], {"send"} | REDUCTIONS | MOVEMENT,
                 check=SUGGESTIONS.follow),
        Scenario("suggestions are printed", SUMMARY, [], None,
                 check=lambda args, said, entries: says(*["are messages: LACONIC_P2P=1\n"] * (args.n > 1))(args, said, entries)),
        Scenario("compressed", EVERYTHING, [], {"send"} | REDUCTIONS | MOVEMENT | SCANS, check=BITS.other),
    ],
    "counted_only": [
        WITHOUT, NO_BOUND,
        Scenario("counted", {**ALL, "LACONIC_P2P": "1"}, [], None, always=True, check=counted(
            bsend=lambda n: 4 * BUFFER, psend=lambda n: 2 * BUFFER, alltoallw=lambda n: n * BUFFER,
            neighbor_alltoallw=lambda n: 2 * BUFFER, put=lambda n: 2 * BUFFER, get=lambda n: 2 * BUFFER,
            accumulate=lambda n: 2 * BUFFER, get_accumulate=lambda n: 4 * BUFFER,
            file_read=lambda n: 14 * BUFFER, file_write=lambda n: 14 * BUFFER)),
    ],
    "alltoallw": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("not included", BOUND, ["exact"], check=plain("rule", "alltoallv", "neighbor_alltoallv")),
        Scenario("compressed", ALL, ["within", "1e-3"], {"alltoallv", "neighbor_alltoallv"}, always=True,
                 check=all_of(plain("type", "alltoallv"), plain_for_nothing_but({"type"}, {"alltoallv", "neighbor_alltoallv"}))),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"}, ["exact"],
                 {"alltoallv", "neighbor_alltoallv"}),
        Scenario("tuned", {**ALL, "LACONIC_TUNE": "on"}, ["within", "1e-3"], None),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "1"}, ["within", "1e-3"], {"alltoallv", "neighbor_alltoallv"},
                 check=audited("alltoallv")),
        Scenario("audit that keeps plain results", {**ALL, "LACONIC_AUDIT": "1:plain"}, ["exact"],
                 {"alltoallv", "neighbor_alltoallv"}, check=audited("alltoallv", "neighbor_alltoallv"), always=True),
        Scenario("by type", {**BOUND, "LACONIC_INCLUDE": "alltoallv+type:complex"}, ["within", "1e-3"], {"alltoallv"},
                 check=plain("rule", "alltoallv", "neighbor_alltoallv")),
        Scenario("profiled", PROFILING, ["exact"], None),
    ],
    "bytes": [
        WITHOUT, NO_BOUND,
        Scenario("without a rule", EVERYTHING, ["exact"], None, check=plain("type", "send"), always=True),
        Scenario("read as doubles", reading("send+type:byte=double"), ["within", "1e-3"], {"send"}, always=True,
                 check=compressed_bytes(lambda n: 3 * n * BYTES)),
        Scenario("read as floats", reading("send+type:byte=float"), ["within", "1e-3", "floats"], {"send"},
                 check=compressed_bytes(lambda n: n * BYTES)),
        Scenario("packed doubles", reading("send+type:packed=double"), ["within", "1e-3", "packed"], {"send"},
                 check=compressed_bytes(lambda n: n * BYTES)),
        Scenario("of another site", reading("send+type:byte=double+site:libother*"), ["exact"], check=plain("type", "send")),
        Scenario("of this site", reading("send+type:byte=double+site:dropin_*"), ["within", "1e-3"], {"send"}),
        Scenario("excluded", {**reading("send+type:byte=double"), "LACONIC_EXCLUDE": "send+type:double"}, ["exact"],
                 check=plain("rule", "send")),
        Scenario("audit that keeps plain results", {**reading("send+type:byte=double"), "LACONIC_AUDIT": "1:plain"}, ["exact"],
                 {"send"}, check=audited("send")),
        Scenario("a bound of their own", {**reading("send+type:byte=double"), "LACONIC_BOUND": "send+type:byte=double=abs:1e-3"},
                 ["within", "1e-3"], {"send"}),
        Scenario("read as what is none", reading("send+type:byte=integer"), ["exact"], code=1,
                 check=says("LACONIC_INCLUDE: 'type:byte=integer' is not valid")),
        Scenario("in collectives", reading("all+type:byte=double"), ["exact"], code=1,
                 check=says("LACONIC_INCLUDE: only bytes of messages are read as numbers")),
    ],
    "traps": [
        WITHOUT,
        Scenario("profiled", PROFILING, ["exact"], None, always=True),
        Scenario("compressed", EVERYTHING, ["within", "1e-3"], {"send", "allreduce", "bcast"}, always=True),
        Scenario("audited", {**EVERYTHING, "LACONIC_AUDIT": "1:plain"}, ["exact"], {"send", "allreduce", "bcast"},
                 check=audited("send", "bcast")),
    ],
    "plugin": [
        WITHOUT, Scenario("no bound", {}, ["exact"], always=True),
        Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}, always=True),
    ],
    "profile": [
        WITHOUT,
        Scenario("profiled", PROFILING, ["exact"], check=PROFILED.make),
        Scenario("the suggestion is followed", PROFILED.settings, ["within", "3e-6"], {"send", "allreduce", "gather"},
                 check=PROFILED.follow),
        Scenario("profiled, with rules", {**PROFILING, "LACONIC_EXCLUDE": "send+type:float,allreduce"}, ["exact"],
                 check=PROFILED.excluded("send", "float", "allreduce", "double")),
        Scenario("printed", {"LACONIC_REPORT": "profile", "LACONIC_PROFILE_COMMAND": "a%20b%0Ac%25"}, ["exact"], always=True,
                 check=PROFILED.printed),
        Scenario("with a bound", {**PROFILING, "LACONIC_BOUND": "abs:1"}, ["exact"], code=1,
                 check=says("LACONIC_BOUND: not valid with LACONIC_REPORT=profile")),
    ],
    "bounds": [
        Scenario("without", {}, [], preload=False, check=errors(**dict.fromkeys(BOUNDED, 0)), always=True),
        Scenario("the first match wins", RULES, [], {"send", "allreduce", "alltoallv", "bcast"}, always=True,
                 check=all_of(errors(send=1e-5, allreduce=1e-6, allreduce_large=1e-4, allreduce_fft=1e-6, allreduce_float=1e-3,
                                     alltoallv=1e-6, alltoallv_fft=1e-8, bcast=1e-6, ibcast=1e-6),
                              bounded_by(send={"send=abs:1e-5"}, bcast={"abs:1e-6"},
                                         alltoallv={"alltoallv+comm:fft=abs:1e-8", "abs:1e-6"},
                                         allreduce={"allreduce+size>=100K=abs:1e-4", "type:float=abs:1e-3", "abs:1e-6"}))),
        Scenario("without a last item", by_rules("allreduce+type:double=abs:1e-6"), [], {"allreduce"},
                 check=all_of(errors(allreduce=1e-6, allreduce_float=0, send=0, bcast=0, ibcast=0, alltoallv=0),
                              plain("no_bound", "send", "bcast", "alltoallv", "allreduce"))),
        # All ranks of a call must find the same item: those of a blocking call agree, others are left to MPI.
        Scenario("a name that differs", by_rules("comm:fft=abs:1e-3,abs:1e-6"), [], {"send", "allreduce", "alltoallv"},
                 check=all_of(errors(allreduce=1e-6, allreduce_fft=1e-3, allreduce_named_by_some=0, ibcast=0),
                              plain("bounds", "allreduce"), plain("form", "bcast"))),
        Scenario("sizes that differ", by_rules("alltoallv+size>=80K=abs:1e-3,abs:1e-6"), [], {"send", "allreduce", "bcast"},
                 check=errors(allreduce=1e-6, alltoallv=0, bcast=1e-6, ibcast=1e-6)),
        Scenario("tuned", {**RULES, "LACONIC_TUNE": "on"}, [], None),
        Scenario("names that differ, tuned", {**by_rules("comm:fft=abs:1e-3,abs:1e-6"), "LACONIC_TUNE": "on"}, [], None,
                 check=plain("bounds", "allreduce")),
        Scenario("losslessly by a rule", by_rules("allreduce=abs:1e-6,lossless"), [], {"allreduce", "send"},
                 check=errors(allreduce=1e-6, send=0, bcast=0, alltoallv=0)),
        # One large number in each message: the error of all numbers is 1e-9 of the range of the others of their block.
        Scenario("spoilt messages", by_rules("rel:1e-9"), [], {"send", "allgather", "bcast"},
                 check=all_of(errors(spoilt_send=1e-9, spoilt_allgather=1e-9, spoilt_bcast=1e-9), exceeded())),
        Scenario("spoilt messages, dense", {**by_rules("rel:1e-9"), "LACONIC_EFFORT": "dense"}, [],
                 {"send", "allgather", "bcast"}, check=errors(spoilt_send=1e-9, spoilt_allgather=1e-9, spoilt_bcast=1e-9)),
        # Messages that are said to hold numbers of one kind.
        Scenario("messages of one kind", by_rules("range:1e-9"), [], {"send", "allgather", "bcast"},
                 check=all_of(errors(spoilt_send=1, spoilt_allgather=1, spoilt_bcast=1), exceeded("send", "allgather"))),
        # A codec without bounds on blocks has that of the whole range.
        Scenario("spoilt messages, szx", {**by_rules("rel:1e-9"), "LACONIC_CODEC": "szx"}, [], {"allgather", "bcast"},
                 check=all_of(errors(spoilt_allgather=1, spoilt_bcast=1), exceeded("send", "allgather"))),
        Scenario("a bound beyond the numbers", by_rules("send=abs:100,abs:1e-6"), [], {"send", "bcast"},
                 check=exceeded("send")),
        Scenario("a warning", {**by_rules("send=abs:100"), "LACONIC_REPORT": "summary"}, [], None, check=lambda args, said, entries:
                 [] if args.n == 1 else says(*["calls that were looked at, the bound exceeds the median magnitude"])(args, said, [])),
        Scenario("each call reported", {**RULES, "LACONIC_REPORT": "each"}, [], None, check=lambda args, said, entries:
                 [] if args.n == 1 or "bound 1e-05 of send=abs:1e-5," in said else ["no item is named"]),
        Scenario("a term that is none", {"LACONIC_BOUND": "sned=abs:1e-9,abs:1"}, [], code=1,
                 check=says("LACONIC_BOUND: item 'sned=abs:1e-9': 'sned' is not valid; valid are operations")),
        Scenario("an item whose bound is none", {"LACONIC_BOUND": "send=abs:-1,abs:1"}, [], code=1,
                 check=says("LACONIC_BOUND: item 'send=abs:-1': bound 'abs:-1' is not valid; valid are abs:E, rel:E")),
        Scenario("an item of no bound", {"LACONIC_BOUND": "send+size>=1M,abs:1"}, [], code=1,
                 check=says("LACONIC_BOUND: item 'send+size>=1M': ")),
        Scenario("an item after the last", {"LACONIC_BOUND": "abs:1,send=abs:1e-9"}, [], code=1,
                 check=says("LACONIC_BOUND: item 'send=abs:1e-9': it follows 'abs:1', which has no terms")),
        Scenario("an empty item", {"LACONIC_BOUND": "send=abs:1e-9,"}, [], code=1,
                 check=says("LACONIC_BOUND: item '': bound '' is not valid; valid are abs:E")),
        Scenario("a bound that the codec does not have", {"LACONIC_BOUND": "send=rms:1,abs:1", "LACONIC_CODEC": "szx"}, [],
                 code=1, check=says("LACONIC_BOUND: item 'send=rms:1': ")),
        Scenario("a rank with a mistake", {**RULES, "TEST_DIFFER": "LACONIC_BOUND=send=abs"}, [], code=1,
                 check=differ("LACONIC_BOUND: bound 'abs' is not valid")),
    ],
    "damage": [Scenario("compressed", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3"], {"send"}, always=True)],
    "callbacks": [
        WITHOUT, NO_BOUND, Scenario("everything", EVERYTHING, ["within", "1e-3"], {"allreduce", "send"}, always=True),
        Scenario("dense", {**EVERYTHING, "LACONIC_EFFORT": "dense"}, ["within", "1e-3"], None), Scenario("lossless", LOSSLESS, ["exact"], None),
        Scenario("tuned", {**EVERYTHING, "LACONIC_TUNE": "on"}, ["within", "1e-3"], None),
        Scenario("audit", {**EVERYTHING, "LACONIC_AUDIT": "2"}, ["within", "1e-3"], None),
    ],
    "freed": [
        WITHOUT, NO_BOUND, Scenario("everything", EVERYTHING, ["within", "1e-3"], {"send"}, always=True),
        Scenario("dense", {**EVERYTHING, "LACONIC_EFFORT": "dense"}, ["within", "1e-3"], None), Scenario("lossless", LOSSLESS, ["exact"], None),
        Scenario("tuned", {**EVERYTHING, "LACONIC_TUNE": "on"}, ["within", "1e-3"], None),
        Scenario("audit", {**EVERYTHING, "LACONIC_AUDIT": "2"}, ["within", "1e-3"], None),
    ],
    "limits": [
        WITHOUT, Scenario("everything", EVERYTHING, ["within", "1e-3"], {"allreduce"}, always=True, check=plain("unprepared", "allreduce")),
        Scenario("tuned", {**EVERYTHING, "LACONIC_TUNE": "on"}, ["within", "1e-3"], None, always=True),
    ],
    "read_only": [
        WITHOUT, NO_BOUND, Scenario("everything", EVERYTHING, ["within", "1e-3", "all"], {"allreduce", "bcast"}, always=True),
        Scenario("dense", {**EVERYTHING, "LACONIC_EFFORT": "dense"}, ["within", "1e-3", "all"], None), Scenario("lossless", LOSSLESS, ["exact"], None),
        Scenario("with codec szx", {**EVERYTHING, "LACONIC_CODEC": "szx"}, ["within", "1e-3", "all"], None),
        Scenario("tuned", {**EVERYTHING, "LACONIC_TUNE": "on"}, ["within", "1e-3", "all"], None),
        Scenario("audit", {**EVERYTHING, "LACONIC_AUDIT": "2"}, ["within", "1e-3", "all"], None),
        Scenario("audit that keeps plain results", {**EVERYTHING, "LACONIC_AUDIT": "1:plain"}, ["within", "1e-3", "all"], None),
    ],
    # A program that never calls MPI_Init, for which nothing is compressed and nothing reported.
    "sessions": [
        WITHOUT, NO_BOUND, Scenario("everything", EVERYTHING, ["exact"], always=True),
        Scenario("lossless", LOSSLESS, ["exact"]), Scenario("tuned", {**EVERYTHING, "LACONIC_TUNE": "on"}, ["exact"]),
        Scenario("audit that keeps plain results", {**EVERYTHING, "LACONIC_AUDIT": "1:plain"}, ["exact"]),
    ],
    "growing_variables": [Scenario("an MPI whose variables become more", {}, [])],
    "tool_variables": [
        Scenario("without", {}, ["absent"], preload=False),
        Scenario("no bound", {}, ["plain"]),
        # Where a report is asked for all is counted anyway.
        Scenario("no bound, and a report", {"LACONIC_REPORT": "summary"}, ["plain"]),
        Scenario("a bound", {**BOUND, "LACONIC_REPORT": ""}, ["within", "1e-3"], always=True),
    ],
    "movement": [
        WITHOUT, EXCLUDED,
        Scenario("everything", ALL, ["within", "1e-3", "all"], MOVEMENT, always=True,
                 check=all_of(ratio(1.2, MOVEMENT), plain_for_nothing_but({"small"}, MOVEMENT))),
        Scenario("with codec szx", {**ALL, "LACONIC_CODEC": "szx"}, ["within", "1e-3", "all"], MOVEMENT),
        Scenario("from hop to hop", {**ALL, "LACONIC_VARIANT": "cpr-p2p"}, ["within", "1e-3", "all"], MOVEMENT),
        Scenario("denormals rounded", {**ALL, "LACONIC_DENORMALS": "round"}, ["within", "1e-3", "all", "rounded"], MOVEMENT),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "2"}, ["within", "1e-3", "all"], MOVEMENT),
        # Of a gather the root alone sees all of it, and the rule must mean the same on all ranks.
        Scenario("excluded by the size of all", {**ALL, "LACONIC_EXCLUDE": "gather+size>=60000,scatter+size>=60000"},
                 ["within", "1e-3", "all"], {"bcast", "allgather"}, check=plain("rule", "gather", "scatter")),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], MOVEMENT),
    ],
    "neighbors": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], SCANS),
        Scenario("everything", ALL, ["within", "1e-3", "all"], SCANS | NEIGHBORS, always=True,
                 check=plain_for_nothing_but({"small", "type", "unprepared"}, NEIGHBORS)),
        Scenario("rules on sizes", {**ALL, "LACONIC_EXCLUDE": "neighbor_alltoall+size>=1K"},
                 ["within", "1e-3", "all"], SCANS | NEIGHBORS - {"neighbor_alltoall"},
                 check=plain("form", "neighbor_alltoall")),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "2"}, ["within", "1e-3", "all"], SCANS | NEIGHBORS),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], SCANS | NEIGHBORS),
    ],
    # Which operations can be compressed depends on what is drawn.
    "neighborhoods": [
        Scenario("without", {}, ["exact", "seed=1", "cases=200"], preload=False),
        Scenario("no bound", {}, ["exact", "seed=2", "cases=200"]),
        Scenario("everything", ALL, ["within", "1e-3", "all", "seed=1", "cases=200"], NEIGHBORS, always=True),
        Scenario("everything, a second seed", ALL, ["within", "1e-3", "all", "seed=2", "cases=200"], NEIGHBORS, always=True),
        Scenario("dense", {**ALL, "LACONIC_EFFORT": "dense"}, ["within", "1e-3", "all", "seed=1", "cases=60"], NEIGHBORS),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact", "seed=2", "cases=60"], NEIGHBORS),
        Scenario("tuned", {**ALL, "LACONIC_TUNE": "on"}, ["within", "1e-3", "all", "seed=1", "cases=60"], None),
        Scenario("audit", {**ALL, "LACONIC_AUDIT": "2"}, ["within", "1e-3", "all", "seed=2", "cases=60"], NEIGHBORS),
        Scenario("audit that keeps plain results", {**ALL, "LACONIC_AUDIT": "1:plain"}, ["exact", "seed=1", "cases=60"],
                 NEIGHBORS),
    ],
    "edges": [
        WITHOUT, NO_BOUND, EXCLUDED,
        Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce"}),
        Scenario("everything", ALL, ["within", "1e-3", "all"], {"allreduce", "bcast", "allgather", "gather"}, always=True),
        Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
                 ["exact"], {"allreduce", "bcast", "allgather", "gather"}),
        Scenario("hints, which precede the environment", {"TEST_HINTS": "1", "LACONIC_CODEC": "quant"}, ["exact"], {"allreduce"},
                 check=coded_with("szx")),
    ],
}


FORTRAN = [
    WITHOUT, NO_BOUND,
    Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce", "reduce"}),
    Scenario("everything", ALL, ["within", "1e-3", "all"], {"allreduce", "reduce", "bcast", "allgather", "allgatherv"},
             always=True),
    Scenario("messages", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3", "messages"], {"send"}),
]
for dialect in ("mpif", "mpi", "f08"):
    SCENARIOS["fortran_" + dialect] = FORTRAN
SCENARIOS["mpi4py"] = [
    WITHOUT, NO_BOUND, EXCLUDED,
    Scenario("reductions", BOUND, ["within", "1e-3"], {"allreduce", "reduce"}),
    Scenario("everything", ALL, ["within", "1e-3", "all"], {"allreduce", "reduce", "bcast", "allgather"},
             always=True),
    Scenario("messages", {**BOUND, "LACONIC_P2P": "1"}, ["within", "1e-3", "messages"], {"send"}),
    Scenario("lossless", {"LACONIC_BOUND": "lossless", "LACONIC_MIN_BYTES": "1", "LACONIC_INCLUDE": "movement"},
             ["exact"], {"allreduce", "bcast", "allgather"}),
]
