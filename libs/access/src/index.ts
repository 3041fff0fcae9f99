export * from './api-keys/api-keys.js';
export { type KeyRecord } from './api-keys/key-table.js';
export { KeyUses } from './api-keys/last-uses.js';
export * from './api-keys/principal.js';
export * from './idempotency.js';
export { TOKEN_SCOPES, type TokenWish } from './tokens/session-tokens.js';
export { Budgets, type BudgetsPorts, type BudgetView } from './budgets/budgets.js';
export { Spending } from './budgets/spending.js';
