//! What hangs, blocks or takes everything.

hazards! {
    H01 "A call to the outside blocks inside a reconcile" {
        default: "work is started and then polled, by async clients; each run is a task of its own",
        compile: ["handler_blocks", "handler_blocks_on_a_future", "handler_sleeps"],
        lint: ["blocking_call_in_async"],
        signals: [Metric("workqueue_unfinished_work_seconds"), Endpoint("/debug/reconciles")],
        incidents: [failures::a_hung_call_delays_no_other_object kills [InFlight]],
    }
    H02 "A client without a timeout" {
        default: "every call to the outside and to the API server has a timeout",
        compile: ["context_unwrapped_client", "context_shared_unwrapped_client"],
        lint: ["client_without_timeout"],
        signals: [Metric("opgen_external_calls_total")],
        incidents: [
            hangs::a_call_that_never_returns_is_counted_and_given_up kills [CallTimeout],
            hangs::an_api_server_that_swallows_requests_is_survived kills [ApiTimeout],
        ],
    }
    H03 "A reconcile without a deadline" {
        default: "every handler has a timeout, and every run a budget",
        compile: ["handler_over_budget", "handler_default_timeout_over_budget", "handler_bad_timeout"],
        lint: ["missing_reconcile_deadline"],
        signals: [Metric("opgen_reconcile_errors_total")],
        incidents: [hangs::a_handler_that_never_ends_is_cut kills [HandlerDeadline]],
    }
    H07 "One worker, or workers without bound" {
        default: "256 runs in flight, each a task of its own; each client has a bulkhead",
        compile: [],
        lint: ["unbounded_concurrency"],
        signals: [Metric("controller_runtime_active_workers")],
        incidents: [
            hangs::waiting_objects_do_not_wait_for_each_other kills [InFlight],
            hangs::a_provider_is_called_no_more_often_at_once_than_it_bears kills [Bulkhead],
        ],
    }
    H31 "A loop that spins" {
        default: "code that blocks the executor is noticed, named and counted",
        compile: ["handler_loops_without_await", "handler_sleeps"],
        lint: ["spin_loop", "sleep_in_reconcile"],
        signals: [Metric("opgen_blocking_polls_total"), Metric("opgen_executor_stalls_total")],
        incidents: [stall::a_blocked_executor_is_noticed kills [Watchdog]],
    }
    H32 "A shared lock or a single client makes everything serial" {
        default: "clients are cheap to clone and shared without a lock; permits are per client and target",
        compile: [],
        lint: ["lock_across_await"],
        signals: [Metric("opgen_bulkhead_wait_seconds")],
        incidents: [hangs::one_client_serves_many_objects_at_once kills [ClientPermits]],
    }
    H33 "A panic in one reconcile ends the controller" {
        default: "panics are contained, counted and tried again with backoff",
        compile: [],
        lint: ["panic_in_reconcile"],
        signals: [Metric("controller_runtime_reconcile_panics_total")],
        incidents: [failures::a_panicking_handler_kills_nothing kills [PanicsContained]],
    }
}
