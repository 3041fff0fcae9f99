/**
 * What a statement that reads may consist of: the kinds of node of PostgreSQL's grammar (src/include/nodes/parsenodes.h and
 * primnodes.h) with those of their fields that may be set. `field:Kind` holds a node whose kind is not written beside it.
 * What is not named here is refused, so that what a later grammar adds is, too. Not here: INTO and FOR UPDATE (intoClause,
 * lockingClause), INSERT, UPDATE, DELETE and MERGE in WITH, XML, and everything that is no query.
 */
const GRAMMAR: Readonly<Record<string, string>> = {
  SelectStmt:
    'distinctClause targetList fromClause whereClause groupClause groupDistinct havingClause windowClause valuesLists ' +
    'sortClause limitOffset limitCount limitOption withClause:WithClause op all larg:SelectStmt rarg:SelectStmt',
  WithClause: 'ctes recursive',
  CommonTableExpr:
    'ctename aliascolnames ctematerialized ctequery search_clause:CTESearchClause cycle_clause:CTECycleClause cterecursive',
  CTESearchClause: 'search_col_list search_breadth_first search_seq_column',
  CTECycleClause: 'cycle_col_list cycle_mark_column cycle_mark_value cycle_mark_default cycle_path_column',
  ResTarget: 'name indirection val',
  RangeVar: 'catalogname schemaname relname inh relpersistence alias:Alias',
  RangeSubselect: 'lateral subquery alias:Alias',
  RangeFunction: 'lateral ordinality is_rowsfrom functions alias:Alias coldeflist',
  RangeTableSample: 'relation method args repeatable',
  JoinExpr: 'jointype isNatural larg rarg usingClause join_using_alias:Alias quals alias:Alias rtindex',
  Alias: 'aliasname colnames',
  ColumnDef: 'colname typeName:TypeName is_local collClause:CollateClause',
  SortBy: 'node sortby_dir sortby_nulls useOp',
  WindowDef: 'name refname partitionClause orderClause frameOptions startOffset endOffset',
  GroupingSet: 'kind content',
  GroupingFunc: 'args',
  ColumnRef: 'fields',
  ParamRef: 'number',
  A_Const: 'ival:Integer fval:Float boolval:Boolean sval:String bsval:BitString isnull',
  A_Expr: 'kind name lexpr rexpr rexpr_list_start rexpr_list_end',
  A_Indirection: 'arg indirection',
  A_Indices: 'is_slice lidx uidx',
  A_ArrayExpr: 'elements list_start list_end',
  A_Star: '',
  FuncCall:
    'funcname args agg_order agg_filter over:WindowDef agg_within_group agg_star agg_distinct func_variadic funcformat',
  NamedArgExpr: 'arg name argnumber',
  TypeCast: 'arg typeName:TypeName',
  TypeName: 'names typmods typemod arrayBounds',
  CollateClause: 'arg collname',
  CaseExpr: 'arg args defresult',
  CaseWhen: 'expr result',
  CoalesceExpr: 'args',
  MinMaxExpr: 'op args',
  NullTest: 'arg nulltesttype argisrow',
  BooleanTest: 'arg booltesttype',
  BoolExpr: 'boolop args',
  SubLink: 'subLinkType testexpr operName subselect',
  RowExpr: 'args row_format colnames',
  SQLValueFunction: 'op typmod',
  List: 'items',
  String: 'sval',
  Integer: 'ival',
  Float: 'fval',
  Boolean: 'boolval',
  BitString: 'bsval',
  JsonObjectConstructor: 'exprs output:JsonOutput absent_on_null unique',
  JsonArrayConstructor: 'exprs output:JsonOutput absent_on_null',
  JsonArrayQueryConstructor: 'query output:JsonOutput format:JsonFormat absent_on_null',
  JsonObjectAgg: 'constructor:JsonAggConstructor arg:JsonKeyValue absent_on_null unique',
  JsonArrayAgg: 'constructor:JsonAggConstructor arg:JsonValueExpr absent_on_null',
  JsonAggConstructor: 'output:JsonOutput agg_filter agg_order over:WindowDef',
  JsonIsPredicate: 'expr format:JsonFormat item_type unique_keys',
  JsonFuncExpr:
    'op context_item:JsonValueExpr pathspec passing output:JsonOutput on_empty:JsonBehavior on_error:JsonBehavior ' +
    'wrapper quotes',
  JsonTable:
    'context_item:JsonValueExpr pathspec:JsonTablePathSpec passing columns on_error:JsonBehavior alias:Alias lateral',
  JsonTableColumn:
    'coltype name typeName:TypeName pathspec:JsonTablePathSpec format:JsonFormat wrapper quotes columns ' +
    'on_empty:JsonBehavior on_error:JsonBehavior',
  JsonTablePathSpec: 'string name name_location',
  JsonOutput: 'typeName:TypeName returning:JsonReturning',
  JsonReturning: 'format:JsonFormat',
  JsonFormat: 'format_type encoding',
  JsonValueExpr: 'raw_expr format:JsonFormat',
  JsonKeyValue: 'key value:JsonValueExpr',
  JsonArgument: 'val:JsonValueExpr name',
  JsonBehavior: 'btype expr',
  JsonParseExpr: 'expr:JsonValueExpr output:JsonOutput unique_keys',
  JsonScalarExpr: 'expr output:JsonOutput',
  JsonSerializeExpr: 'expr:JsonValueExpr output:JsonOutput',
};

/** The fields of a kind of node; a field's value is the kind of what it holds, or '' where that is written beside it. */
export const ALLOWED: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(GRAMMAR).map(([kind, fields]) => [
    kind,
    new Map(
      `location ${fields}`
        .split(' ')
        .map((field) => field.split(':'))
        .map(([name = '', holds = '']) => [name, holds]),
    ),
  ]),
);

/** What these are called where they were no syntax yet, but functions. */
export const CALLED_LATER: ReadonlyMap<string, readonly string[]> = new Map([
  ['JsonObjectConstructor', ['json_object']],
  ['JsonArrayConstructor', ['json_array']],
  ['JsonArrayQueryConstructor', ['json_array']],
  ['JsonObjectAgg', ['json_objectagg']],
  ['JsonArrayAgg', ['json_arrayagg']],
  ['JsonFuncExpr', ['json_exists', 'json_query', 'json_value']],
  ['JsonTable', ['json_table']],
  ['JsonParseExpr', ['json']],
  ['JsonScalarExpr', ['json_scalar']],
  ['JsonSerializeExpr', ['json_serialize']],
  ['GroupingFunc', ['grouping']],
]);
