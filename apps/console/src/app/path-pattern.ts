import { withoutEnd } from '../parts/without-end.js';

/**
 * Whether a path fits a pattern: `:name` stands for one segment, decoded; `:name@` for one with an event id after `@`, which
 * comes as `at`.
 * @returns the parameters; null where it does not fit
 */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const stated = pattern.split('/');
  const asked = withoutEnd(path, '/').split('/');
  if (stated.length !== asked.length) return null;
  const params: Record<string, string> = {};
  for (const [i, name] of stated.entries()) {
    const segment = asked[i] ?? '';
    if (!name.startsWith(':')) {
      if (name !== segment) return null;
      continue;
    }
    const read = segmentOf(name, segment);
    if (read === null) return null;
    Object.assign(params, read);
  }
  return params;
}

function segmentOf(name: string, segment: string): Record<string, string> | null {
  const hasEvent = name.endsWith('@');
  const event = hasEvent ? /^(.+)@(\d+)$/.exec(segment) : null;
  const key = name.slice(1, hasEvent ? -1 : undefined);
  const value = decoded(event?.[1] ?? segment);
  if (value === null || value === '') return null;
  return event?.[2] === undefined ? { [key]: value } : { [key]: value, at: event[2] };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
