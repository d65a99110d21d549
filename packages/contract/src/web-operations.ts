import { addFeedback } from './gates/endpoints.ts'
import { endpoints as signIns } from './sign-ins/endpoints.ts'

/** What only people can do, in a browser: below `/web/v1`, beside the operations of the API. */
export const webOperations = [...signIns, addFeedback] as const

export type WebOperation = (typeof webOperations)[number]
