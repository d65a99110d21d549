import type { Seeded } from './seeded.ts'

/** Text of lock files, bundles, fixtures and logs that resembles a secret and is none. */
export const outsideLookAlikes: readonly { name: string; make(random: Seeded): string }[] = [
  {
    name: 'pnpm lock',
    make: (r) =>
      `  /react@18.2.0:\n    resolution: {integrity: sha512-${r.base64(86)}==}\n    engines: {node: '>=0.10.0'}`,
  },
  { name: 'poetry lock', make: (r) => `    {file = "a-1.0.0-py3-none-any.whl", hash = "sha256:${r.hex(64)}"},` },
  { name: 'composer lock', make: (r) => `"dist": {"type": "zip", "reference": "${r.hex(40)}", "shasum": ""}` },
  { name: 'Gemfile checksum', make: (r) => `  rails (7.1.2) sha256=${r.hex(64)}` },
  { name: 'nix hash', make: (r) => `hash = "sha256-${r.base64(43)}=";` },
  { name: 'docker layer', make: (r) => `${r.hex(12)}: Pull complete\nDigest: sha256:${r.hex(64)}` },
  { name: 'Kubernetes pod', make: (r) => `web-${r.lower(10)}-${r.lower(5)}   1/1   Running   0   3m` },
  {
    name: 'message ids',
    make: (r) =>
      JSON.stringify({
        id: `msg_01${r.alnum(22)}`,
        call_id: `call_${r.alnum(24)}`,
        request_id: `req_011${r.alnum(21)}`,
      }),
  },
  { name: 'tool use id in prose', make: (r) => `The result of toolu_01${r.alnum(22)} came back.` },
  {
    name: 'payment ids',
    make: (r) => `customer cus_${r.alnum(14)} paid with pi_3${r.alnum(23)} for price_1${r.alnum(23)}`,
  },
  { name: 'completion id', make: (r) => `chatcmpl-${r.alnum(29)} finished` },
  { name: 'file id', make: (r) => `uploaded file-${r.alnum(24)}` },
  { name: 'resource ids', make: (r) => `vpc-${r.hex(17)} subnet-${r.hex(17)} sg-${r.hex(17)} i-${r.hex(17)}` },
  { name: 'ULID', make: (r) => `event 01J${r.upper(23)} stored` },
  { name: 'nanoid', make: (r) => `{"id":"${r.word(21)}"}` },
  { name: 'object id', make: (r) => `ObjectId("${r.hex(24)}")` },
  { name: 'build hash in a file name', make: (r) => `dist/assets/index-${r.alnum(8)}.js  142.30 kB` },
  { name: 'chunk names', make: (r) => `main.${r.hex(20)}.chunk.css, vendor~${r.hex(8)}.js` },
  {
    name: 'minified code',
    make: () =>
      'function t(e){return e&&e.__esModule?e:{default:e}}var n=t(r(7294)),o=e=>{let{token:t,key:r,children:i}=e;return(0,a.jsx)(i,{value:t},r)}',
  },
  { name: 'minified switch', make: () => 'case"password":return n.token=e.key,void(t.secret=i.apiKey);case"token":' },
  {
    name: 'snapshot test',
    make: (r) => `exports[\`renders token 1\`] = \`<div data-key="${r.lower(6)}" class="css-${r.lower(7)}">\``,
  },
  {
    name: 'fixture passwords',
    make: () => `password: 'password'\ntoken: 'test-token'\nsecret: 'my-secret'\napi_key: 'your-api-key'`,
  },
  {
    name: 'SQL schema',
    make: () => 'create table users (id bigint primary key, password_hash text not null, api_token_id uuid)',
  },
  { name: 'password hash', make: (r) => `digest ${r.hex(64)} of the file` },
  { name: 'regular expression', make: () => String.raw`const token = /^(?:[A-Za-z_$][\w$]*|\d+)$/` },
  { name: 'CSS', make: () => '.token.keyword { color: #c678dd; } .key::before { content: "\\f084"; }' },
  { name: 'public certificate', make: (r) => `MIID${r.base64(300)}` },
  { name: 'base64 image', make: (r) => `![x](data:image/jpeg;base64,/9j/4AAQSkZJRg${r.base64(600)})` },
  { name: 'font', make: (r) => `src:url(data:font/woff2;base64,d09GMgABAAAA${r.base64(500)}) format("woff2")` },
  { name: 'protobuf', make: (r) => `payload: "${r.base64(180)}"` },
  {
    name: 'GraphQL cursor',
    make: (r) =>
      JSON.stringify({
        pageInfo: { endCursor: Buffer.from(`cursor:v2:${r.digits(10)}`).toString('base64'), hasNextPage: true },
      }),
  },
  { name: 'next page token', make: (r) => JSON.stringify({ nextPageToken: r.word(40), kind: 'list' }) },
  { name: 'trace ids', make: (r) => `trace_id=${r.hex(32)} span_id=${r.hex(16)} sampled=1` },
  { name: 'cloud trace', make: (r) => `X-Amzn-Trace-Id: Root=1-${r.hex(8)}-${r.hex(24)}` },
  { name: 'content security nonce', make: () => "script-src 'self' 'strict-dynamic'" },
  {
    name: 'git pack',
    make: (r) => `remote: Compressing objects: 100% (7/7), done.\n   ${r.hex(7)}..${r.hex(7)}  main -> main`,
  },
  { name: 'blame', make: (r) => `^${r.hex(7)} (Ada 2026-01-02 03:04:05 +0000 12) const token = next()` },
  {
    name: 'stack trace',
    make: () => '    at TokenStore.readSecret (/srv/app/src/token-store.ts:12:7)\n    at async Password.verify',
  },
  {
    name: 'help text',
    make: () => '  --token <token>       The token to use\n  --password-stdin      Read the password from stdin',
  },
  {
    name: 'documentation',
    make: () => 'Set `API_KEY=<your key>` or `API_KEY=$(cat key)`; the key is read from `~/.acme/key`.',
  },
  {
    name: 'type declaration',
    make: () => 'export interface Credentials { accessKeyId: string; secretAccessKey: string; sessionToken?: string }',
  },
  {
    name: 'usage counts',
    make: (r) => `prompt_tokens=${r.digits(4)} completion_tokens=${r.digits(3)} total_tokens=${r.digits(5)}`,
  },
  { name: 'translation keys', make: () => `t('auth.password.reset.title'), key: 'settings.tokens.empty'` },
  { name: 'key codes', make: () => `{ key: 'ArrowDown', code: 'KeyA', keyCode: 65 } event.key === 'Enter'` },
  {
    name: 'query key',
    make: () => `useQuery({ queryKey: ['sessions', id, 'transcript'], cacheKey: 'sessions:list' })`,
  },
  { name: 'foreign key', make: () => 'constraint fk_token foreign key (token_id) references tokens (id)' },
  { name: 'host key', make: (r) => `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC${r.base64(340)} root@web` },
  {
    name: 'known hosts',
    make: (r) => `|1|${r.base64(27)}=|${r.base64(27)}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.base64(43)}`,
  },
  {
    name: 'version strings',
    make: () => 'node v20.20.2, npm 10.8.2, key-value-store@4.1.0-beta.17, token-types@5.0.1',
  },
  {
    name: 'environment names',
    make: () => 'required: ["DATABASE_URL", "API_KEY", "JWT_SECRET"], optional: ["SMTP_PASSWORD"]',
  },
  { name: 'hidden values', make: () => 'API_KEY=**** TOKEN=<redacted> SECRET=xxxxxxxx PASSWORD=(hidden)' },
  {
    name: 'vault references',
    make: () =>
      'password: vault:secret/data/app#password\ntoken: op://prod/github/token\nkey: $' + '{{ secrets.API_KEY }}',
  },
  { name: 'hex table', make: () => '0000000 is the first, 0000001 the second\n00 01 02 03 are the first four bytes\n' },
  {
    name: 'colours',
    make: (r) => `--primary: #${r.hex(6)}; --secret-color: #${r.hex(6)}; --token-string: #${r.hex(6)};`,
  },
  {
    name: 'wrapped prose',
    make: () =>
      'The password policy says that a token expires aft\ner ninety days and that keys are rotated by the op\nerator, not by the agent.',
  },
]
