import type { JsonSchema, OpenApiDocument } from '../../../src/platform/http/openapi.ts'

/** A small API with one of everything a reference has to show. */
export function yard(): OpenApiDocument {
  const wagon = { $ref: '#/components/schemas/Wagon' }
  return {
    openapi: '3.1.1',
    info: { title: 'Yard', version: '1.2.3', description: 'Wagons.', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/api/v1' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Wagons' }, { name: 'Signals' }],
    paths: {
      '/wagons': {
        get: {
          operationId: 'getWagons',
          tags: ['Wagons'],
          summary: 'List wagons',
          parameters: [
            { name: 'page', in: 'query', required: false, description: 'Page, from 1.', schema: { type: 'integer' } },
            {
              name: 'per_page',
              in: 'query',
              required: false,
              description: 'Items a page holds, 1 to 100.',
              schema: { type: 'integer', default: 25 },
            },
          ],
          responses: {
            200: json({
              type: 'object',
              required: ['wagons', 'pagination'],
              properties: {
                wagons: { type: 'array', items: wagon },
                pagination: { $ref: '#/components/schemas/Pagination' },
              },
            }),
            401: unauthorized,
          },
        },
        post: {
          operationId: 'postWagons',
          tags: ['Wagons'],
          summary: 'Add a wagon',
          description: 'It goes to the end, as `last` would.',
          parameters: [],
          requestBody: {
            required: false,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['name', 'load'],
                  properties: {
                    name: {
                      type: 'string',
                      description: 'A name.',
                      minLength: 1,
                      maxLength: 100,
                      examples: ['Tanker'],
                    },
                    note: { description: 'A note.', anyOf: [{ type: 'string', maxLength: 1000 }, { type: 'null' }] },
                    colour: { type: 'string', enum: ['red', 'green'] },
                    axles: { type: 'integer', minimum: 2, maximum: 8 },
                    serial: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
                    load: {
                      type: 'object',
                      required: ['tonnes'],
                      properties: {
                        tonnes: { type: 'number', minimum: 0 },
                        items: {
                          type: 'array',
                          items: { type: 'object', properties: { label: { type: 'string' } } },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
          responses: {
            201: json(
              {
                type: 'object',
                required: ['wagon'],
                properties: {
                  wagon,
                  warnings: { type: 'array', items: { type: 'string' }, description: 'Absent when empty.' },
                },
              },
              'Created.',
            ),
            401: unauthorized,
            422: refusal('Validation failed; Yard full', {
              validation_failed: problem('Validation failed', "Name can't be blank"),
              yard_full: problem('Yard full', 'There is no free track'),
            }),
          },
        },
      },
      '/wagons/{id}': {
        get: {
          operationId: 'getWagonsById',
          tags: ['Wagons'],
          summary: 'Show a wagon',
          parameters: [id],
          responses: { 200: json({ type: 'object', required: ['wagon'], properties: { wagon } }), 401: unauthorized },
        },
        delete: {
          operationId: 'deleteWagonsById',
          tags: ['Wagons'],
          summary: 'Scrap a wagon',
          parameters: [id],
          responses: { 204: { description: 'Done; there is no body.' }, 401: unauthorized },
        },
      },
      '/signals': {
        get: {
          operationId: 'getSignals',
          tags: ['Signals'],
          summary: 'Watch the signals',
          parameters: [],
          responses: {
            200: { description: 'Done.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
            401: unauthorized,
          },
        },
      },
    },
    components: {
      schemas: {
        Problem: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
        Pagination: {
          type: 'object',
          required: ['total_count'],
          properties: { total_count: { type: 'integer', examples: [61] } },
        },
        Wagon: {
          type: 'object',
          required: ['id', 'name', 'coupled_at', 'next', 'behind', 'note'],
          properties: {
            id: { type: 'integer' },
            name: { type: 'string', description: 'Its name.' },
            coupled_at: { type: 'string', format: 'date-time' },
            next: wagon,
            behind: { type: 'array', items: wagon },
            note: { type: ['string', 'null'] },
          },
        },
      },
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    },
  }
}

const unauthorized = refusal('Unauthorized', { unauthorized: problem('Unauthorized', 'Invalid or missing API key') })
const id = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Numeric id.',
  schema: { type: 'string', minLength: 1, examples: ['7'] },
}

function problem(error: string, sentence: string) {
  return { value: { error, message: sentence, messages: [sentence] } }
}

function refusal(description: string, examples: Record<string, { value: unknown }>) {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' }, examples } },
  }
}

function json(schema: JsonSchema, description = 'Done.') {
  return { description, content: { 'application/json': { schema } } }
}
