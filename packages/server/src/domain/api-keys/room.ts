import type { Room } from '../app.ts'
import { forOperator } from './forms.ts'

export const apiKeys: Room = { name: 'api-keys', forOperator }
