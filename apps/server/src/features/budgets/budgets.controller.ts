import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { Budgets, type Principal } from '#access';
import { type BudgetId, Cursors, budgetName, notFound, pageOf as pageOfItems } from '#domain';
import { Caller } from '../../edge/admission/caller.js';
import {
  DOLLARS,
  TEXT,
  TIME,
  named,
  objectOf,
  oneOf,
  orNull,
  pageOf,
} from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';
import { NewBudgetDto } from './budget.dto.js';

const BUDGET = named(
  'Budget',
  objectOf({
    scope: oneOf('key', 'project'),
    id: TEXT,
    limit: DOLLARS,
    period: oneOf('day', 'month', 'total'),
    spent: DOLLARS,
    renews_at: orNull(TIME),
  }),
);

/** By the name of the last budget. */
const CURSORS = new Cursors<string>(
  'budgets',
  (name) => [name],
  ([name]) => (typeof name === 'string' ? name : null),
);

/** What keys and projects may spend. */
@Controller('budgets')
export class BudgetsController {
  constructor(private readonly budgets: Budgets) {}

  @Get()
  @Operation({
    id: 'listBudgets',
    tag: 'money',
    summary: 'Budgets, by their names',
    description: 'Those of the project and of its keys; the first admin key is shown all.',
    scope: 'admin',
    query: PageQuery,
    answers: answer(200, pageOf(BUDGET)),
  })
  async list(@Query() { limit, cursor }: PageQuery, @Caller() caller: Principal) {
    const owner = { project: caller.isRoot ? undefined : caller.project };
    const after = CURSORS.decode(cursor, owner) ?? undefined;
    const found = await this.budgets.list(caller, limit + 1, after);
    return pageOfItems(found, limit, (last) => CURSORS.encode(budgetName(last), owner));
  }

  @Put(':scope/:id')
  @Operation({
    id: 'setBudget',
    tag: 'money',
    summary: 'Sets what a key or a project may spend',
    description:
      'Where that is reached requests are refused (402), and runs wait before their next model call until more is allowed, or ' +
      'until a new period begins. What was spent before counts, too.',
    scope: 'admin',
    body: NewBudgetDto,
    examples: { month: { summary: '25 dollars a month', value: { limit: '25', period: 'month' } } },
    answers: answer(200, BUDGET),
    refusals: [404],
  })
  set(
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Body() budget: NewBudgetDto,
    @Caller() caller: Principal,
  ) {
    return this.budgets.put(caller, budgetIdOf(scope, id), budget);
  }

  @Delete(':scope/:id')
  @HttpCode(204)
  @Operation({
    id: 'removeBudget',
    tag: 'money',
    summary: 'Removes a budget: what waited for it goes on',
    scope: 'admin',
    answers: { 204: null },
    refusals: [404],
  })
  remove(@Param('scope') scope: string, @Param('id') id: string, @Caller() caller: Principal): Promise<void> {
    return this.budgets.remove(caller, budgetIdOf(scope, id));
  }
}

/** @throws Problem not_found */
function budgetIdOf(scope: string, id: string): BudgetId {
  if (scope !== 'key' && scope !== 'project') throw notFound('the budget');
  return { scope, id };
}
