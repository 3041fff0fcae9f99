/**
 * The server's own functions (schema pg_catalog) that a statement that reads may call: they compute from what they are
 * given, or tell of the catalog; they change nothing, reach no file, no other session and no other server, and run no text
 * as SQL. A name is on this list with all of its overloads. An agent that needs another gets it by a view.
 */
export const HARMLESS_FUNCTIONS: ReadonlySet<string> = new Set(
  [
    // Numbers.
    'abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cbrt ceil ceiling cos cosd cosh cot',
    'cotd degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale mod pi pow power radians',
    'random random_normal round scale sign sin sind sinh sqrt tan tand tanh trim_scale trunc width_bucket',
    'to_bin to_hex to_oct to_number numeric int2 int4 int8 float4 float8 money oid bit varbit bool',
    // Texts and bytes.
    'ascii bit_length btrim casefold char char_length character_length chr concat concat_ws convert convert_from',
    'convert_to crc32 crc32c decode encode format get_bit get_byte initcap is_normalized left length like like_escape',
    'lower lpad ltrim md5 normalize notlike octet_length overlay parse_ident position quote_ident quote_literal',
    'quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace',
    'regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim set_bit set_byte',
    'sha224 sha256 sha384 sha512 similar_escape similar_to_escape split_part starts_with string_to_array string_to_table',
    'strpos substr substring text to_ascii translate unicode_assigned unistr upper bpchar bytea name varchar',
    // Times.
    'age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract interval isfinite',
    'justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now',
    'overlaps pg_sleep pg_sleep_for pg_sleep_until statement_timestamp time timeofday timestamp timestamptz timetz',
    'timezone to_char to_date to_timestamp transaction_timestamp',
    // Aggregates and windows.
    'any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist',
    'dense_rank every first_value lag last_value lead max min mode nth_value ntile percent_rank percentile_cont',
    'percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope',
    'regr_sxx regr_sxy regr_syy row_number stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance',
    // Arrays, rows, ranges and sets.
    'array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions',
    'array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_string',
    'array_upper cardinality enum_first enum_last enum_range generate_series generate_subscripts num_nonnulls num_nulls',
    'trim_array unnest datemultirange daterange int4multirange int4range int8multirange int8range isempty lower_inc',
    'lower_inf multirange nummultirange numrange range_merge tsmultirange tsrange tstzmultirange tstzrange upper_inc',
    'upper_inf',
    // JSON.
    'array_to_json json_agg json_agg_strict json_array_elements json_array_elements_text json_array_length',
    'json_build_array json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object',
    'json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_object_keys',
    'json_populate_record json_populate_recordset json_strip_nulls json_to_record json_to_recordset json_typeof',
    'jsonb_agg jsonb_agg_strict jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array',
    'jsonb_build_object jsonb_concat jsonb_delete jsonb_delete_path jsonb_each jsonb_each_text jsonb_exists',
    'jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_agg_strict',
    'jsonb_object_agg_unique jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz',
    'jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz',
    'jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset',
    'jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json',
    'to_json to_jsonb json jsonb',
    // Syntax, since some version.
    'grouping json_array json_arrayagg json_exists json_objectagg json_query json_scalar json_serialize json_table json_value',
    // Full texts.
    'array_to_tsvector get_current_ts_config json_to_tsvector jsonb_to_tsvector numnode phraseto_tsquery plainto_tsquery',
    'querytree setweight strip to_tsquery to_tsvector ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase',
    'tsvector_to_array websearch_to_tsquery',
    // Shapes, addresses, identifiers.
    'area bound_box box center circle diagonal diameter height isclosed ishorizontal isopen isparallel isperp isvertical',
    'line lseg npoints path pclose point polygon popen radius slope width abbrev broadcast cidr family host hostmask',
    'inet_merge inet_same_family macaddr8_set7bit masklen netmask network set_masklen gen_random_uuid uuid_extract_timestamp',
    'uuid_extract_version uuidv4 uuidv7',
    // What the catalog says.
    'col_description current_database current_schema current_schemas current_setting current_user format_type',
    'has_any_column_privilege has_column_privilege has_schema_privilege has_sequence_privilege has_table_privilege',
    'obj_description pg_collation_for pg_column_size pg_database_size pg_get_constraintdef pg_get_expr',
    'pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result pg_get_functiondef',
    'pg_get_indexdef pg_get_partkeydef pg_get_ruledef pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid',
    'pg_get_viewdef pg_has_role pg_indexes_size pg_is_in_recovery pg_relation_size pg_size_bytes pg_size_pretty',
    'pg_table_is_visible pg_table_size pg_total_relation_size pg_type_is_visible pg_function_is_visible pg_typeof',
    'session_user shobj_description system_user to_regclass to_regnamespace to_regrole to_regtype version',
  ].flatMap((line) => line.split(' ')),
);

/** Relations of pg_catalog that may be read: what is in the database. Others read files of the server, or hold passwords. */
export const HARMLESS_CATALOG: ReadonlySet<string> = new Set(
  [
    'pg_aggregate pg_am pg_attrdef pg_attribute pg_cast pg_class pg_collation pg_constraint pg_database pg_depend',
    'pg_description pg_enum pg_extension pg_index pg_indexes pg_inherits pg_language pg_locks pg_matviews pg_namespace',
    'pg_opclass pg_operator pg_partitioned_table pg_policies pg_policy pg_proc pg_publication pg_publication_tables',
    'pg_range pg_roles pg_rules pg_sequence pg_sequences pg_settings pg_shdescription',
    'pg_stat_all_indexes pg_stat_all_tables pg_stat_database pg_stat_user_indexes pg_stat_user_tables',
    'pg_statio_user_tables pg_statio_user_indexes pg_stats pg_tables pg_tablespace pg_trigger pg_ts_config pg_type',
    'pg_user pg_views',
  ].flatMap((line) => line.split(' ')),
);
