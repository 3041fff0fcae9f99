import { IsBoolean, IsIn } from 'class-validator';
import { Describe, MayBeOmitted, Nested, Satisfies } from '../../../edge/validation/decorators.js';
import { dollarsAboveZero } from '../../../edge/validation/dollars.js';
import { ApprovalsDto } from './approvals.dto.js';
import { type McpServerDto, McpServerList, McpServerListAlias } from '../shared/mcp-server.dto.js';

/** The body of `POST /runs/{id}/retry`. */
export class RetryDto {
  @McpServerList()
  @Describe({ description: "The run's tool servers, under the same names: they are stored nowhere." })
  readonly mcp_servers?: readonly McpServerDto[];

  @McpServerListAlias()
  readonly mcpServers?: readonly McpServerDto[];

  @MayBeOmitted()
  @IsIn(['flash', 'base', 'max', 'fast'])
  @Describe({ description: "Absent: the run's own." })
  readonly mode?: 'flash' | 'base' | 'max' | 'fast';

  @MayBeOmitted()
  @Nested(ApprovalsDto)
  @Describe({ description: "In place of the run's own." })
  readonly approvals?: ApprovalsDto;

  @MayBeOmitted()
  @Satisfies('isDollars', dollarsAboveZero)
  @Describe({
    description: 'What the run may cost before it waits, in US dollars. Absent: as the run itself.',
    examples: ['0.50'],
  })
  readonly budget?: string;

  @IsBoolean()
  @Describe({ description: 'Answer 202 at once and run on the server.' })
  readonly background: boolean = false;
}
