const words = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')));

/**
 * Functions of MySQL or MariaDB that a statement that reads may call: they compute from what they are given. Not here:
 * files (LOAD_FILE), locks, waiting, the session's own state, replication, sequences.
 */
export const HARMLESS_FUNCTIONS: ReadonlySet<string> = words(
  // Numbers.
  'abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor format greatest least ln log log10 log2 mod',
  'pi pow power radians rand round sign sin sqrt tan truncate bit_count oct',
  // Texts.
  'ascii bin bit_length char char_length character_length chr concat concat_ws elt export_set field find_in_set from_base64',
  'hex insert instr lcase left length lengthb locate lower lpad ltrim make_set mid octet_length ord position quote',
  'regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right rpad rtrim soundex space strcmp substr',
  'substring substring_index to_base64 trim ucase unhex upper weight_string md5 sha sha1 sha2 inet_aton inet_ntoa inet6_aton',
  'inet6_ntoa is_ipv4 is_ipv6 is_uuid uuid uuid_to_bin bin_to_uuid compress uncompress uncompressed_length',
  // Times.
  'adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add date_format date_sub',
  'datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format hour last_day localtime',
  'localtimestamp makedate maketime microsecond minute month monthname now period_add period_diff quarter sec_to_time second',
  'str_to_date subdate subtime sysdate time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_days',
  'to_seconds unix_timestamp utc_date utc_time utc_timestamp week weekday weekofyear year yearweek',
  // Choices and types.
  'cast coalesce convert if ifnull isnull nullif nvl nvl2 decode_oracle interval grouping any_value',
  // Aggregates and windows.
  'avg bit_and bit_or bit_xor count cume_dist dense_rank first_value group_concat json_arrayagg json_objectagg lag last_value',
  'lead max median min nth_value ntile percent_rank percentile_cont percentile_disc rank row_number std stddev stddev_pop',
  'stddev_samp sum var_pop var_samp variance',
  // JSON.
  'json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_detailed json_exists',
  'json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_overlaps json_pretty',
  'json_query json_quote json_remove json_replace json_search json_set json_table json_type json_unquote json_valid json_value',
  // Shapes.
  'st_area st_asgeojson st_astext st_aswkt st_centroid st_contains st_crosses st_disjoint st_distance st_distance_sphere',
  'st_equals st_geomfromtext st_intersects st_length st_overlaps st_srid st_touches st_within st_x st_y point',
  // Who and where.
  'charset coercibility collation connection_id current_role current_user database schema session_user system_user user version',
  'found_rows',
);

/** Words of the grammar behind which a parenthesis may stand, and which are no call. */
export const BEFORE_PARENTHESES: ReadonlySet<string> = words(
  'all and as between binary by case cross decimal distinct distinctrow div else except exists from having in index inner',
  'intersect is join key lateral like limit match against minus natural not offset on or over partition regexp rlike row select',
  'straight_join then union unique using values when where with within columns path xor char varchar nchar datetime time signed',
  'unsigned escape separator return rows group',
);
