import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys.controller.js';
import { TokensController } from './tokens.controller.js';

@Module({ controllers: [ApiKeysController, TokensController] })
export class KeysModule {}
