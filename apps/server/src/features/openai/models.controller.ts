import { Controller, Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Operation } from '../../edge/routes/operation.js';
import { foreign } from './foreign.js';
import { queryOf } from './query.js';
import { modelNotFound } from '#openai-face';

/** The modes, as models: when there came to be such an interface is when they were created. */
const CREATED = 1_764_028_800;

const modelOf = (id: string): object => ({ id, object: 'model', created: CREATED, owned_by: 'annals' });

@Controller('v1/models')
export class ModelsController {
  @Get()
  @Operation(foreign('listModels', 'read'))
  list(@Req() { query }: FastifyRequest): object {
    queryOf(query);
    return { object: 'list', data: ['base', 'flash', 'max'].map(modelOf) };
  }

  @Get(':model')
  @Operation(foreign('getModel', 'read'))
  one(@Param('model') model: string, @Req() { query }: FastifyRequest): object {
    queryOf(query);
    if (!['base', 'flash', 'max'].includes(model)) throw modelNotFound(model);
    return modelOf(model);
  }
}
