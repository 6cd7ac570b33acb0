#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for Status {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        let mut rules = ::std::vec![
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/state/conditions"), rule :
            ::opgen_runtime::status::Rule::ListMap(::std::vec![::std::string::String::from("type")]),
            }, ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/lastSeen"), rule :
            ::opgen_runtime::status::Rule::Volatile, },
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/volumes~1all"), rule :
            ::opgen_runtime::status::Rule::ListMap(::std::vec![::std::string::String::from("name")]),
            }, ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/peers"), rule :
            ::opgen_runtime::status::Rule::ListMap(::std::vec![::std::string::String::from("host"),
            ::std::string::String::from("port")]), }, ::opgen_runtime::status::FieldRule
            { path : ::std::string::String::from("/peers"), rule :
            ::opgen_runtime::status::Rule::Bounded(20usize), }
        ];
        rules
            .extend(
                <Volume as ::opgen_runtime::status::StatusDiff>::rules()
                    .into_iter()
                    .map(|mut rule| {
                        rule.path.insert_str(0, "/volumes~1all/*");
                        rule
                    }),
            );
        rules
            .extend(
                <Volume as ::opgen_runtime::status::StatusDiff>::rules()
                    .into_iter()
                    .map(|mut rule| {
                        rule.path.insert_str(0, "/byZone/*");
                        rule
                    }),
            );
        rules.extend(<More as ::opgen_runtime::status::StatusDiff>::rules());
        rules
    }
}
#[automatically_derived]
impl ::opgen_runtime::status::MachineStatus for Status {
    const PATHS: ::opgen_runtime::status::MachinePaths = ::opgen_runtime::status::MachinePaths {
        phase: "/state/phase",
        conditions: "/state/conditions",
        ..::opgen_runtime::status::MachinePaths::DEFAULT
    };
}
#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for Volume {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/size"), rule :
            ::opgen_runtime::status::Rule::Quantity, }
        ]
    }
}
#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for More {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/EXPIRES_AT"), rule :
            ::opgen_runtime::status::Rule::Time, }
        ]
    }
}
