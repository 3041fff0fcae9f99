import { IsIn } from 'class-validator';
import type { BudgetPeriod } from '#domain';
import { Describe, Satisfies } from '../../edge/validation/decorators.js';
import { dollars } from '../../edge/validation/dollars.js';

/** The body of `PUT /budgets/{scope}/{id}`. */
export class NewBudgetDto {
  @Satisfies('isDollars', dollars)
  @Describe({ description: 'US dollars, 0 or more.', examples: ['25'] })
  readonly limit!: string;

  @IsIn(['day', 'month', 'total'])
  @Describe({
    description: 'After which the spent begins at 0 again: a day or a month of UTC; `total`: never.',
  })
  readonly period!: BudgetPeriod;
}
