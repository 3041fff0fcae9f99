import type { ModelRequest } from '#agent';
import { schemaKey } from './plain-tools.js';
import { type RequestForm, withLevel } from './request-form.js';
import { nextLevel } from './tool-refusals.js';

/** Asks of a server at most; what it has not told by then is taken for refused. */
const maxAsks = 40;

/**
 * Finds the tools whose schema a server refuses, where it does not say which: asks with some of them as they are and the
 * others as plain as can be.
 *
 * @param refuses whether the server refuses the request in this form for a schema
 * @returns the form with those tools plainer; null: it is none of the schemas
 */
export async function searchSchemas(
  { tools }: ModelRequest,
  form: RequestForm,
  refuses: (form: RequestForm) => Promise<boolean>,
): Promise<Pick<RequestForm, 'plain'> | null> {
  const offered = tools.slice(0, form.maxTools);
  const open = offered.filter((tool) => nextLevel(tool, form) !== undefined);
  // What was simplified in vain is it.
  const simplified = open.filter((tool) => form.plain.get(schemaKey(tool.parameters)) === 1);
  const keys = [
    ...new Set((simplified.length > 0 ? simplified : open).map((tool) => schemaKey(tool.parameters))),
  ];
  if (keys.length === 0) return null;
  const plain = (asIs: readonly string[]) => ({
    ...form,
    plain: withLevel(
      form.plain,
      keys.filter((key) => !asIs.includes(key)),
      2,
    ),
  });
  if (await refuses(plain([]))) return null;
  let asks = 1;
  const refusesThese = async (asIs: readonly string[]) => ++asks > maxAsks || refuses(plain(asIs));
  const found = await refusedOf(keys, refusesThese);
  const level = new Map(offered.map((tool) => [schemaKey(tool.parameters), nextLevel(tool, form)]));
  const ones = found.filter((key) => level.get(key) === 1);
  const twos = found.filter((key) => level.get(key) !== 1);
  return { plain: withLevel(withLevel(form.plain, ones, 1), twos, 2) };
}

/** Of keys among which some are refused. */
async function refusedOf(
  keys: readonly string[],
  refuses: (asIs: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  if (keys.length === 1) return keys;
  const half = keys.length >> 1;
  const [first, second] = [keys.slice(0, half), keys.slice(half)];
  const isInFirst = await refuses(first);
  const found = isInFirst ? await refusedOf(first, refuses) : [];
  // Where none is in the first, some are in the second.
  const isInSecond = !isInFirst || (await refuses(second));
  return isInSecond ? [...found, ...(await refusedOf(second, refuses))] : found;
}
