import { QueryStringDto, validated } from './validate.js';

class NoFieldsDto {}
class NoParametersQuery extends QueryStringDto {}

/** For routes that take no body, or an empty object. @throws Problem */
export function refuseBody(body: unknown): void {
  if (body !== undefined) validated(NoFieldsDto, body);
}

/** For routes that take no parameters. @throws Problem */
export function refuseQuery(query: unknown): void {
  validated(NoParametersQuery, query ?? {});
}
