//! What a handler may not do, as far as tokens tell. Aliases and helpers are the lint's and `clippy.toml`'s.

use opgen_phase_model::Errors;
use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Block, Expr, ExprAsync, ExprAwait, ExprCall, ExprClosure, ExprLoop, ExprMethodCall, ExprWhile,
    Item, Lit, Macro, Path, visit, visit::Visit,
};

/// A path that blocks, what it does, and the cure.
struct Blocking {
    path: &'static [&'static str],
    does: &'static str,
    cure: &'static str,
}

const POLL: &str = "return `Step::poll_in(secs(..))` and look again in the next run";
const OFFLOAD: &str = "move it into `cx.blocking(|| ..)`, which runs it on a bounded pool";
const CLIENT: &str = "call through an async client behind `#[timeout_client]`";
const AWAIT: &str = "a handler is async: `.await` it";

const BLOCKING: [Blocking; 15] = [
    Blocking {
        path: &["std", "thread", "sleep"],
        does: "puts the whole worker to sleep",
        cure: POLL,
    },
    Blocking {
        path: &["std", "thread", "park"],
        does: "parks the whole worker",
        cure: POLL,
    },
    Blocking {
        path: &["std", "thread", "park_timeout"],
        does: "parks the whole worker",
        cure: POLL,
    },
    Blocking {
        path: &["std", "fs"],
        does: "blocks the worker on the disk",
        cure: OFFLOAD,
    },
    Blocking {
        path: &["std", "process", "Command"],
        does: "blocks the worker on another process",
        cure: OFFLOAD,
    },
    Blocking {
        path: &["std", "io", "stdin"],
        does: "blocks the worker on its input",
        cure: OFFLOAD,
    },
    Blocking {
        path: &["std", "net", "TcpStream"],
        does: "blocks the worker on the network",
        cure: CLIENT,
    },
    Blocking {
        path: &["std", "net", "TcpListener"],
        does: "blocks the worker on the network",
        cure: CLIENT,
    },
    Blocking {
        path: &["std", "net", "UdpSocket"],
        does: "blocks the worker on the network",
        cure: CLIENT,
    },
    Blocking {
        path: &["std", "net", "ToSocketAddrs"],
        does: "blocks the worker on DNS",
        cure: CLIENT,
    },
    Blocking {
        path: &["reqwest", "blocking"],
        does: "blocks the worker on the network",
        cure: CLIENT,
    },
    Blocking {
        path: &["futures", "executor", "block_on"],
        does: "blocks the worker on a future",
        cure: AWAIT,
    },
    Blocking {
        path: &["tokio", "runtime", "Runtime", "new"],
        does: "starts a runtime inside the runtime",
        cure: AWAIT,
    },
    Blocking {
        path: &["Handle", "block_on"],
        does: "blocks the worker on a future",
        cure: AWAIT,
    },
    Blocking {
        path: &["tokio", "task", "block_in_place"],
        does: "takes the worker away from other objects",
        cure: OFFLOAD,
    },
];

pub(super) fn find(block: &Block, errors: &mut Errors) {
    Finder { errors }.visit_block(block);
}

struct Finder<'e> {
    errors: &'e mut Errors,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        let blocking = BLOCKING
            .iter()
            .find(|blocking| starts_with(path, blocking.path));
        if let Some(Blocking {
            path: hit,
            does,
            cure,
        }) = blocking
        {
            self.errors
                .on(path, format!("`{}` {does}; {cure}", hit.join("::")));
        } else {
            visit::visit_path(self, path);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "blocking" || call.method == "spawn_blocking" {
            // The legal place: what it is given runs elsewhere.
            self.visit_expr(&call.receiver);
            return;
        }
        if call.method == "block_on" {
            self.errors.on(
                &call.method,
                format!("`block_on` blocks the worker on a future; {AWAIT}"),
            );
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let name = called(&call.func);
        match name.as_deref() {
            Some("spawn_blocking") => return,
            Some("block_on") if !is_known(&call.func) => {
                self.errors.on(
                    &call.func,
                    format!("`block_on` blocks the worker on a future; {AWAIT}"),
                );
            }
            Some(step @ ("poll_in" | "wait")) if is_step(&call.func) => {
                if let Some(delay) = call.args.last().filter(|delay| is_zero(delay)) {
                    self.errors.on(
                        delay,
                        format!(
                            "`Step::{step}` with no delay spins; give one of a second or more, or move on with `Step::to`, \
                             or end with `Step::settled()`"
                        ),
                    );
                }
            }
            _ => {}
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_loop(&mut self, expr: &'ast ExprLoop) {
        if !awaits(&expr.body) {
            self.errors.on(expr.loop_token, endless("loop"));
        }
        visit::visit_expr_loop(self, expr);
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        let endless_condition =
            matches!(&*expr.cond, Expr::Lit(lit) if matches!(&lit.lit, Lit::Bool(b) if b.value));
        if endless_condition && !awaits(&expr.body) {
            self.errors.on(expr.while_token, endless("while true"));
        }
        visit::visit_expr_while(self, expr);
    }

    fn visit_item(&mut self, _: &'ast Item) {
        // A function inside may be what `cx.blocking` calls.
    }
}

fn endless(keyword: &str) -> String {
    format!(
        "`{keyword}` without `.await` holds the worker, and no timeout can end it; {POLL}, or iterate over something that ends"
    )
}

fn starts_with(path: &Path, prefix: &[&str]) -> bool {
    path.segments.len() >= prefix.len()
        && path
            .segments
            .iter()
            .zip(prefix)
            .all(|(segment, name)| segment.ident == name)
}

fn called(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

fn is_known(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if BLOCKING.iter().any(|known| starts_with(&path.path, known.path)))
}

/// `Step::wait`, also with a turbofish or a longer path.
fn is_step(function: &Expr) -> bool {
    match function {
        Expr::Path(path) => path
            .path
            .segments
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|step| step.ident == "Step"),
        _ => false,
    }
}

/// `Duration::ZERO`, `secs(0)`, `Duration::from_secs(0)` and the like.
fn is_zero(delay: &Expr) -> bool {
    match delay {
        Expr::Path(path) => {
            let mut last = path.path.segments.iter().rev();
            last.next().is_some_and(|name| name.ident == "ZERO")
                && last.next().is_some_and(|ty| ty.ident == "Duration")
        }
        Expr::Call(call) => {
            let constructs = called(&call.func)
                .is_some_and(|name| name == "secs" || name == "new" || name.starts_with("from_"));
            constructs && !call.args.is_empty() && call.args.iter().all(is_literal_zero)
        }
        Expr::Paren(inner) => is_zero(&inner.expr),
        Expr::MethodCall(call) if call.method == "into" => is_zero(&call.receiver),
        _ => false,
    }
}

fn is_literal_zero(argument: &Expr) -> bool {
    match argument {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) => number.base10_parse::<u128>().is_ok_and(|n| n == 0),
            Lit::Float(number) => number.base10_digits().trim_matches(['0', '.']).is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether running the block once passes an `.await`. One inside a closure or an async block is not passed.
fn awaits(block: &Block) -> bool {
    let mut seen = AwaitSeen(false);
    seen.visit_block(block);
    seen.0
}

struct AwaitSeen(bool);

impl<'ast> Visit<'ast> for AwaitSeen {
    fn visit_expr_await(&mut self, _: &'ast ExprAwait) {
        self.0 = true;
    }

    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_macro(&mut self, called: &'ast Macro) {
        let awaiting = ["select", "join", "try_join"];
        let name = called
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string());
        let by_name = name.is_some_and(|name| awaiting.contains(&name.as_str()));
        self.0 |= by_name || mentions_await(called.tokens.clone());
    }
}

fn mentions_await(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "await",
        TokenTree::Group(group) => mentions_await(group.stream()),
        _ => false,
    })
}
