import { describe, expect, it } from '@jest/globals';
import { type ApprovalPolicy, type ServerPolicy, type ToolFilter, ruleFor } from './approval-policy.js';

const named = (offered: string, own = offered) => ({ offered, own });

describe('what is done with a call', () => {
  it('is nothing special where nothing is said', () => {
    expect(ruleFor({}, named('refund'))).toBe('allow');
    expect(ruleFor({ default: 'ask' }, named('refund'))).toBe('ask');
  });

  it.each<[string, string, string]>([
    ['refund', 'refund', 'ask'],
    ['refund*', 'refund', 'ask'],
    ['*fund', 'refund', 'ask'],
    ['*', 'refund', 'ask'],
    ['**', 'refund', 'ask'],
    ['r*f*d', 'refund', 'ask'],
    ['re*und', 'reund', 'ask'],
    ['refund', 'refunds', 'allow'],
    ['r*x*d', 'refund', 'allow'],
    ['refund*fund', 'refund', 'allow'],
    ['Refund', 'refund', 'allow'],
    ['re.und', 'refund', 'allow'],
    ['*', '', 'ask'],
    ['', 'refund', 'allow'],
  ])('is decided by the pattern %j for %j: %s', (pattern, name, rule) => {
    expect(ruleFor({ tools: { [pattern]: 'ask' } }, named(name))).toBe(rule);
  });

  it("looks at the tool's own name as well as at the one that is offered", () => {
    const policy: ApprovalPolicy = { tools: { 'crm_*': 'ask', delete: 'deny' } };
    expect(ruleFor(policy, named('crm_read', 'read'))).toBe('ask');
    expect(ruleFor(policy, named('crm_delete', 'delete'))).toBe('deny');
  });

  it('prefers a name to patterns, the longer pattern, and among equals the strictest', () => {
    expect(ruleFor({ tools: { 'very_long_pattern_*': 'deny', pay: 'allow' } }, named('pay'))).toBe('allow');
    expect(ruleFor({ tools: { '*': 'deny', 'crm_*': 'allow' } }, named('crm_read'))).toBe('allow');
    expect(ruleFor({ tools: { 'crm_*': 'allow', '*read': 'ask' } }, named('crm_read'))).toBe('ask');
    expect(ruleFor({ tools: { '*read': 'ask', 'crm_*': 'allow' } }, named('crm_read'))).toBe('ask');
    expect(ruleFor({ tools: { crm_read: 'ask', read: 'deny' } }, named('crm_read', 'read'))).toBe('deny');
  });

  it('of a server is that of its filters, of which one without a condition releases nothing', () => {
    const tool = { ...named('shop_price', 'price'), server: 'shop', isReadOnly: true };
    const under = (free: ServerPolicy['free'], offered?: ToolFilter) =>
      ruleFor({ servers: { shop: { free, ...(offered === undefined ? {} : { offered }) } } }, tool);
    expect(under({})).toBe('ask');
    expect(under({ tools: [] })).toBe('ask');
    expect(under({ tools: ['price'] })).toBe('allow');
    expect(under({ read_only: true })).toBe('allow');
    expect(under({ tools: ['price'], read_only: false })).toBe('ask');
    expect(under('all', {})).toBe('allow');
    expect(under('all', { tools: ['sell'] })).toBe('deny');
  });

  it('is found in the time that the texts are long', () => {
    const name = 'a'.repeat(100_000);
    expect(ruleFor({ tools: { [`${'a*'.repeat(50_000)}b`]: 'ask' } }, named(name))).toBe('allow');
  });
});
