import { describe, expect, it } from '@jest/globals';
import { OfferedNames } from './offered-names.js';

const tools = (...entries: readonly [server: number, serverName: string, name: string][]) =>
  entries.map(([server, serverName, name]) => ({ server, serverName, name }));
const assign = (entries: ReturnType<typeof tools>, reserved: readonly string[] = []) =>
  new OfferedNames(new Set(reserved)).assign(entries);

describe('the names that tools are offered by', () => {
  it('are their own where these are alone and allowed', () => {
    expect(assign(tools([0, 'a', 'search'], [1, 'b', 'list-All_2']))).toEqual(['search', 'list-All_2']);
  });

  it('hold the name of the server, too, where two are equal or one is not allowed', () => {
    const all = tools([0, 'My files', 'read'], [1, 'b', 'read'], [1, 'b', 'x.y/z'], [1, 'b', 'größe']);
    expect(assign(all)).toEqual(['My_files_read', 'b_read', 'b_x_y_z', 'b_gr__e']);
  });

  it('never are a reserved one', () => {
    expect(assign(tools([0, 'a', 'run_workflow']), ['run_workflow'])).toEqual(['a_run_workflow']);
    expect(assign(tools([0, 'a', 'x']), ['x', 'a_x'])).toEqual(['a_x_2']);
  });

  it('are told apart where servers and tools have equal names', () => {
    const all = tools([0, 's', 'x'], [1, 's', 'x'], [2, 's', 'x'], [0, 's', 'a.b'], [0, 's', 'a b']);
    expect(assign(all)).toEqual(['s_x', 's_x_2', 's_x_3', 's_a_b', 's_a_b_2']);
  });

  it.each([1, 60, 62, 64, 65, 200])('have 64 characters at most, of a tool with %i', (length) => {
    const name = 't'.repeat(length);
    const all = tools([0, 'server', name], [1, 'another', name], [1, 'another', `${name}!`]);
    const names = assign(all);
    expect(new Set(names).size).toBe(3);
    for (const each of names) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    if (length <= 60) expect(names.every((each) => each.includes(name))).toBe(true);
  });

  it('stay when others come and go, and are given to nobody else', () => {
    const names = new OfferedNames(new Set());
    const [one, two] = [tools([0, 'a', 'x']), tools([0, 'a', 'x'], [1, 'b', 'x'])];
    expect(names.assign(one)).toEqual(['x']);
    expect(names.assign(two)).toEqual(['x', 'b_x']);
    expect(names.assign(tools([1, 'b', 'x'], [2, 'c', 'x']))).toEqual(['b_x', 'c_x']);
    expect(names.assign(one)).toEqual(['x']);
  });
});
