extension TestCluster {
    /// The tests that can't run on a cluster, each under its reason.
    static let reasons: [String: [String]] = [
        "They need a local connection: a Database, statements that are counted or explained, or observation.": [
            "ActiveRecordTests/insideTransaction()", "AsyncBatchTests/cancelledTask()", "AsyncBatchTests/nothing()",
            "AsyncTests/connection()", "ClassAsQueryTests/lint()", "ClassAsQueryTests/observes()",
            "CriteriaFormTests/indexes()", "CriteriaFormTests/statements()", "CriteriaSizeTests/indexAmongMany()",
            "CriteriaSizeTests/tooManyValues()", "ErasedSchemaTests/erased()", "HierarchySchemaTests/controller()",
            "HierarchySchemaTests/observation()", "HierarchySchemaTests/plans()", "InvalidModelTests/customMirror()",
            "JoinedObjectTests/rows()", "JoiningTests/reading()", "JoiningTests/savepoint()",
            "LaterDateTextsTests/numbersAmongTexts(_:)", "MTLFMDBAdapterExampleTests/resultSet()",
            "ModelShapesTests/shadowed()", "NestedWriteTests/delete()", "NestedWriteTests/insert()",
            "NestedWriteTests/update()", "QueryBudgetTests/afterwards()", "QueryBudgetTests/beyond()",
            "QueryBudgetTests/counted()", "QueryBudgetTests/firstUse()", "QueryBudgetTests/insideAccess()",
            "QueryBudgetTests/nested()", "QueryBudgetTests/otherError()", "QueryBudgetTests/otherManager()",
            "QueryBudgetTests/otherTasks()", "QueryBudgetTests/within()", "QueryLintTests/asynchronous()",
            "QueryLintTests/automatic()", "QueryLintTests/closure()", "QueryLintTests/correlated()",
            "QueryLintTests/description()", "QueryLintTests/fine()", "QueryLintTests/moreIndexes()",
            "QueryLintTests/noRemedy()", "QueryLintTests/order()", "QueryLintTests/scan()", "QueryLintTests/sort()",
            "QueryTests/prepared()", "RelatedObservationTests/wakes()", "RelatedStorageTests/plans()",
            "RowObjectTests/example()", "RowObjectTests/expired()", "RowObjectTests/manyStatements()",
            "RowObjectTests/rest()", "RowObjectTests/returning()", "RowObjectTests/row()",
            "RowObjectTests/snapshot()", "SaveTests/noChange()", "SchemaKeyTests/more()", "SchemaTests/notStale()",
            "SchemaTests/recreatedTable()", "StatementCacheTests/batch()", "StatementCacheTests/count()",
            "StatementCacheTests/criteria()", "StatementCacheTests/dictionaries()", "StatementCacheTests/find()",
            "StatementCacheTests/writes()", "TransactionTests/rawAccess()", "TransactionTests/read()",
            "TransactionTests/transactionInRead()", "TransactionTests/write()", "TransactionTests/writeInRead()",
        ],
        "They store texts with a NUL.": [
            "BrokenImportTests/changed(_:)", "CriteriaEvaluationTests/random()",
            "CriteriaEvaluationTests/randomOrdering()", "CriteriaFormTests/borders()", "CriteriaFormTests/hostile()",
            "CriteriaSizeTests/exactLists()", "FormatCriteriaTests/injection()", "FortyColumnsTests/roundTrip()",
            "LongListTests/exact()", "OddSchemaTests/missing(name:)",
            "RandomBitsTests/texts()",
            "RandomRoundTripTests/changes()",
            "RandomRoundTripTests/everything()", "RandomRoundTripTests/possible()",
            "RelationKeyTests/textsWithQuotesAndZeros()", "RoundTripTests/texts(_:)", "TypeTests/criteria()",
            "TypeTests/json()", "TypeTests/noRawValue(_:_:)", "TypeTests/rawValues()", "TypeTests/url(_:)",
            "WriteQueryTests/hostile()",
        ],
        "They declare columns as DATETIME, DATE, TIMESTAMP or BOOLEAN.": [
            "DateUnitTests/certain(_:_:)", "DateUnitTests/coreData()", "DateUnitTests/uncertain(_:_:_:)",
            "LaterDateTextsTests/firstForm()",
            "ModelSourceContentsTests/everyRow()", "ModelSourceContentsTests/random()",
            "ModelSourceContentsTests/stored(_:)", "ModelSourceDateTests/form(_:_:)", "ModelSourceTests/agreement()",
            "ModelSourceTests/compiles()", "ModelSourceTests/constraints()", "ModelSourceTests/decimals()",
            "ModelSourceTests/foundValues()", "ModelSourceTests/missing()", "ModelSourceTests/plans()",
            "ModelSourceTests/roundTrip()", "ModelSourceTests/view()",
            "ModelSourceTests/viewKey()", "OtherDateTypesTests/rawRepresentable()", "RelatedStorageTests/dates()",
            "SchemaAgreementTests/othersTypes()", "TextDateKeyTests/key()", "UnseenDateTextsTests/null()",
            "UnseenDateTextsTests/save(_:_:)", "UnseenDateTextsTests/updateAll()", "UnseenDateTextsTests/upsert(_:)",
        ],
        "They compare texts by functions in Swift: [c], [cd], LIKE, and orderings by language.": [
            "CriteriaFormTests/folding()", "CriteriaFormTests/like()", "ExpressionTests/matching()",
            "FindingExampleTests/spellings()", "FormatCriteriaTests/example()",
            "FormatCriteriaTests/texts(format:expected:)", "FormatRandomTests/hostile()", "KernExampleTests/family()",
            "KernExampleTests/lucky()", "KernExampleTests/topTwo()", "PageFormTests/random()",
            "PageTests/whole(query:)", "RelatedCriteriaTests/formats()", "RelatedCriteriaTests/orderings()",
            "RelatedCriteriaTests/texts()", "SpellingTests/random()", "TextOrderingTests/comparisons()",
        ],
        "They compare or add decimals exactly, by collations and functions in Swift.": [
            "AggregateKindTests/distinctDecimals()", "DecimalTableTests/numbers(_:)",
            "ExtremeValueTests/negativeZero()", "FormatCriteriaTests/storedForms()", "GroupTests/exactCondition()",
            "GroupTests/exactOrder()", "GroupedAggregateTests/collation()", "GroupedAggregateTests/others()",
            "KeyPathTests/everyOptional()", "KeyPathTests/everyRequired()", "RandomRoundTripTests/criteria()",
            "RelatedStorageTests/decimals()", "RelationKeyTests/decimals()", "RoundTripTests/decimalOrder()",
            "SchemaDescriptionTests/createTable()",
        ],
        "They calculate with texts or dates by functions in Swift.": [
            "ExpressionTests/asynchronous()", "ExpressionTests/dateParts(offset:)",
            "ExpressionTests/dateStarts(unit:)", "ExpressionTests/formats()", "ExpressionTests/orderings()",
            "ExpressionTests/reading()", "ExpressionTests/texts()", "ExpressionTests/updates()",
            "LaterDateTextsTests/otherTexts(_:)", "OthersDateFormsTests/changed(_:)", "OthersDateFormsTests/farDate()",
            "OthersDateFormsTests/later()", "OthersDateFormsTests/mixed()", "OthersDateFormsTests/new(_:)",
            "OthersDateFormsTests/unchanged(_:)", "PlanFormsTests/dates(_:)", "PlanFormsTests/fraction()",
            "PlanFormsTests/noUUID()", "PlanFormsTests/rebuilt()", "PlanFormsTests/unknown()", "PlanFormsTests/uuids()",
            "PlanFormsTests/wholeSeconds()", "RandomExpressionTests/alike()",
        ],
        "They create temporary tables.": [
            "ExistingTableTests/temporary()", "ForeignKeyColumnTests/isGenerated(_:)",
            "ForeignKeyColumnTests/notGenerated(_:)", "GroupQuestionTests/musicStore(question:)",
            "GroupQuestionTests/orders(question:)", "RelatedQuestionTests/answer(question:)",
        ],
        "They have more than 255 values in a statement.": [
            "CriteriaSizeTests/longFormat()", "CriteriaSizeTests/manyKinds()", "CriteriaSizeTests/manyTerms()",
            "FormatCriteriaTests/manyTerms()",
        ],
        "They turn foreign keys off by a PRAGMA.": [
            "RelationKeyTests/textsThatTheCollationCallsEqual()",
            "RelationSchemaRandomTests/`every relation of a random schema leads where its columns do`()",
        ],
        "They attach a database.": [
            "AttachedTableTests/foreignKey()", "AttachedTableTests/later()", "AttachedTableTests/missing()",
            "AttachedTableTests/named()", "AttachedTableTests/namedPlans()", "AttachedTableTests/other(database:)",
            "AttachedTableTests/plans()", "AttachedTableTests/reattached()", "AttachedTableTests/relations()",
            "ExistingTableTests/attached()", "PlanFormsTests/attached()",
        ],
        "They use REGEXP.": [
            "CriteriaFormTests/matches()"
        ],
        "They open blobs in place.": [
            "BlobTests/assignedKey()", "BlobTests/async()", "BlobTests/asyncPassed()", "BlobTests/expired()",
            "BlobTests/inRead()", "BlobTests/passed()", "BlobTests/read()", "BlobTests/rejected()",
            "BlobTests/rollback()", "BlobTests/virtualColumn()", "BlobTests/write()",
            "DeferredModelsTests/blobRolledBack()", "DeferredModelsTests/rowless()", "DeferredModelsTests/view()",
        ],
        "They hold the local connection so that another call waits.": [
            "AsyncSaveTests/changedMeanwhile()", "AsyncSaveTests/synchronousMeanwhile()",
            "AsyncSaveTests/unfitMeanwhile()", "DeferredModelsTests/beingSaved()", "HierarchySchemaTests/change()",
        ],
        "They store dates in another form by raw SQL, after the table was looked at.": [
            "LaterDateTextsTests/delete()", "LaterDateTextsTests/firstTexts(_:)",
            "LaterDateTextsTests/outsideTheSample(_:)", "LaterDateTextsTests/rawSQL(_:)",
        ],
        "They expect the key that a foreign key's error names, which a node doesn't say.": [
            "ReferencedRowTests/`a missing parent's error names the relation`()",
            "RejectedCommitTests/asynchronousBatch()", "RejectedCommitTests/asynchronousSingle()",
            "RejectedCommitTests/batch()", "RejectedCommitTests/findOrCreate()",
            "RejectedCommitTests/severalClasses()", "RejectedCommitTests/single()",
        ],
        "They expect that text in double quotation marks is rejected, which a node takes.": [
            "SchemaTests/noDoubleQuotedText()"
        ],
        "They read the tables of a result's columns, which a node doesn't say.": [
            "JoinedObjectTests/tableNames()"
        ],
        "They read texts that the protocol cuts at a NUL, or whose bytes it repairs.": [
            "ExtremeValueTests/invalidText(_:)", "StoredKeyTests/others()",
        ],
    ]
}
