import { keyFence } from './key-fence.ts'
import type { Seeded } from './seeded.ts'

/** Text that resembles a secret and is none: it must stay unchanged. */
export const lookAlikes: readonly { name: string; make(random: Seeded): string }[] = [
  // Ids and hashes
  { name: 'UUID', make: (r) => `request ${r.uuid()} finished` },
  { name: 'session id', make: (r) => `session_id=${r.uuid()}` },
  {
    name: 'id under a key',
    make: (r) => JSON.stringify({ id: `msg_01${r.alnum(22)}`, tool_use_id: `toolu_01${r.alnum(22)}` }),
  },
  { name: 'folder of a shell', make: (r) => `PWD=/srv/${r.alnum(12)}/web\nOLDPWD=/srv/${r.alnum(20)}` },
  { name: 'commit', make: (r) => `commit ${r.hex(40)}\nAuthor: Ada <ada@acme.test>` },
  { name: 'short log', make: (r) => `${r.hex(7)} Fix the token refresh\n${r.hex(7)} Add password reset` },
  { name: 'git object', make: (r) => `100644 blob ${r.hex(40)}\tsrc/key.ts` },
  { name: 'diff index', make: (r) => `diff --git a/x b/x\nindex ${r.hex(11)}..${r.hex(11)} 100644` },
  { name: 'SHA-256', make: (r) => `sha256:${r.hex(64)}` },
  { name: 'SHA-256 sum', make: (r) => `${r.hex(64)}  token.tar.gz` },
  { name: 'MD5', make: (r) => `md5 = ${r.hex(32)}` },
  { name: 'etag', make: (r) => `ETag: "${r.hex(32)}"` },
  { name: 'integrity', make: (r) => `"integrity": "sha512-${r.base64(86)}==",` },
  {
    name: 'yarn lock',
    make: (r) =>
      `  resolved "https://registry.test/a/-/a-1.0.0.tgz#${r.hex(40)}"\n  integrity sha512-${r.base64(86)}==`,
  },
  { name: 'go.sum', make: (r) => `golang.org/x/sys v0.1.0 h1:${r.base64(43)}=` },
  { name: 'Cargo.lock', make: (r) => `checksum = "${r.hex(64)}"` },
  { name: 'image digest', make: (r) => `FROM node:20@sha256:${r.hex(64)}` },
  { name: 'public key', make: (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.base64(43)} ada@laptop` },
  { name: 'fingerprint', make: (r) => `SHA256:${r.base64(43)} ada@laptop (ED25519)` },
  {
    name: 'certificate',
    make: (r) => `-----BEGIN CERTIFICATE-----\n${r.base64(64)}\n${r.base64(64)}\n-----END CERTIFICATE-----`,
  },
  {
    name: 'public key block',
    make: (r) => `-----BEGIN PUBLIC KEY-----\n${r.base64(64)}\n${r.base64(20)}==\n-----END PUBLIC KEY-----`,
  },
  { name: 'account number', make: (r) => `arn:aws:iam::${r.digits(12)}:role/deploy` },
  { name: 'secret reference', make: (r) => `arn:aws:secretsmanager:eu-west-1:${r.digits(12)}:secret:prod/db-AbCdEf` },
  { name: 'chat ids', make: (r) => `channel C0${r.upper(9)} user U0${r.upper(9)}` },
  { name: 'trace', make: (r) => `traceparent: 00-${r.hex(32)}-${r.hex(16)}-01` },
  { name: 'version', make: () => 'release 12.4.0-rc.1+build.20260102' },
  { name: 'container id', make: (r) => `Successfully built ${r.hex(12)}` },

  // Blobs
  {
    name: 'image',
    make: (r) =>
      JSON.stringify({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${r.base64(1200)}=` },
      }),
  },
  { name: 'data URL', make: (r) => `<img src="data:image/png;base64,iVBORw0KGgo${r.base64(800)}=">` },
  {
    name: 'thinking signature',
    make: (r) => JSON.stringify({ type: 'thinking', thinking: 'Hm.', signature: `EqQB${r.base64(400)}==` }),
  },
  {
    name: 'encrypted reasoning',
    make: (r) => JSON.stringify({ type: 'reasoning', encrypted_content: `gAAAAAB${r.word(700)}==` }),
  },
  { name: 'source map', make: (r) => `"mappings": "AAAA,SAAS,${r.from('ABCDEFGHIJKLMNOP', 90)}"` },
  {
    name: 'base64 of prose',
    make: () => Buffer.from('The quick brown fox jumps over the lazy dog and sleeps.\n').toString('base64'),
  },

  // Words and code
  { name: 'token count', make: (r) => `token_count=${r.digits(3)} max_tokens: ${r.digits(4)} tokens=${r.digits(5)}` },
  {
    name: 'usage',
    make: (r) =>
      JSON.stringify({
        usage: { input_tokens: r.below(9999), cache_creation_input_tokens: r.below(9999), service_tier: 'standard' },
      }),
  },
  { name: 'password function', make: () => 'const password = getPassword()\nif (password === confirmPassword) return' },
  { name: 'property access', make: () => 'apiKey: config.providers.apiKey, token: request.headers.token' },
  { name: 'type', make: () => 'type Login = { username: string; password: string; token?: string | undefined }' },
  { name: 'schema', make: () => 'password: z.string().min(8), secret: z.string().optional(),' },
  { name: 'environment read', make: () => 'const apiKey = process.env.ACME_API_KEY ?? os.environ["ACME_API_KEY"]' },
  { name: 'form', make: () => '<input type="password" name="password" placeholder="Enter your password" />' },
  {
    name: 'labels',
    make: () =>
      JSON.stringify({ password: 'Password', token: 'Access token', forgot_password: 'Forgot your password?' }),
  },
  {
    name: 'prose',
    make: () => 'The secret is to keep the key: readable names. A token is a word; a password is a promise.',
  },
  { name: 'message', make: () => 'Error: password is required and must be at least 12 characters' },
  { name: 'page token', make: (r) => JSON.stringify({ next_page_token: r.alnum(24), items: [] }) },
  {
    name: 'special tokens',
    make: () => JSON.stringify({ eos_token: '<|endoftext|>', pad_token: '[PAD]', bos_token: '<s>' }),
  },
  { name: 'cache key', make: (r) => `cache key: node-modules-linux-${r.hex(40)}` },
  { name: 'cache_key', make: (r) => `cache_key=build-${r.hex(32)}` },
  { name: 'React key', make: () => '<li key={item.id} data-key="row-12">{item.name}</li>' },
  { name: 'primary key', make: () => 'create table keys (id bigint primary key, key text not null unique);' },
  { name: 'secret name', make: () => 'secretKeyRef:\n  name: database-credentials\n  key: password\n' },
  { name: 'token endpoint', make: () => 'token_endpoint: https://auth.acme.test/oauth/token\ntoken_type: bearer' },
  { name: 'password file', make: () => 'POSTGRES_PASSWORD_FILE=/run/secrets/postgres-password' },
  { name: 'secret path', make: () => 'TLS_KEY=/etc/ssl/private/server.key\nsecret: /run/secrets/app_secret_v2' },
  { name: 'CSS', make: () => '.sk-loading-indicator-container { color: var(--token-color-primary-500) }' },
  { name: 'task names', make: () => 'risk-assessment-of-the-disk-subsystem task-runner-configuration-file' },
  { name: 'test name', make: () => 'test_that_the_token_is_refreshed_when_it_expires_after_an_hour' },
  { name: 'header mention', make: () => 'Send the key in the X-API-Key header, or Authorization: Bearer.' },
  {
    name: 'PEM mention',
    make: () => `if (!text.startsWith('${keyFence('BEGIN')}')) throw new Error('no ${keyFence('END')}')`,
  },
  { name: 'path', make: () => '/usr/local/lib/node_modules/npm/node_modules/tokenizer/secrets/passwords/index.js' },
  { name: 'URL', make: () => 'https://registry.test:443/@acme/token/-/token-1.2.3.tgz' },
  { name: 'mail addresses', make: () => 'ssh://git@forge.test/acme/app.git and mailto:ada@acme.test' },
  { name: 'container user', make: () => 'docker run -u 1000:1000 -p 8080:80 acme/app' },
  { name: 'mkdir', make: () => 'mkdir -p /var/lib/app && ps -a && cp -p a b' },
  { name: 'keyboard', make: () => 'onKey: ArrowDown, hotkey: ctrl+shift+p, monkey: banana-yellow-2024' },
  { name: 'idempotency', make: (r) => `Idempotency-Key: ${r.uuid()}` },
  { name: 'IP addresses', make: () => 'listening on http://127.0.0.1:3000 and [::1]:3000' },
  { name: 'semver range', make: () => '"jsonwebtoken": "^9.0.2", "keytar": "7.9.0", "@types/passport-jwt": "4.0.1"' },
  { name: 'numbers', make: (r) => `${r.digits(16)} ${r.digits(10)}:${r.digits(4)}` },

  // Placeholders
  { name: 'shell variable', make: () => `PASSWORD=$DB_PASSWORD TOKEN=\${GITHUB_TOKEN} KEY=$(cat key)` },
  {
    name: 'URL with variable',
    make: () => `postgres://app:\${DB_PASSWORD}@db.test/app https://$USER:$TOKEN@forge.test`,
  },
  { name: 'template', make: () => 'api_key: {{ vault_api_key }}\npassword: {{password}}\ntoken: "<your-token>"' },
  { name: 'angle brackets', make: () => 'API_KEY=<your-api-key-here> SECRET_KEY="<insert secret>"' },
  { name: 'crosses', make: () => 'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx TOKEN=xxxx' },
  { name: 'stars', make: () => 'password: ******** token: ****************' },
  { name: 'changeme', make: () => 'DB_PASSWORD=changeme ADMIN_PASSWORD=change-me-please JWT_SECRET=changeme' },
  { name: 'example', make: () => `AWS_ACCESS_KEY_ID=${'AKIA'}IOSFODNN7EXAMPLE SECRET=example-secret-value-1` },
  { name: 'your key', make: () => 'STRIPE_API_KEY=your_stripe_api_key_123 token: YOUR_TOKEN_HERE' },
  { name: 'repeated', make: () => `GITHUB_TOKEN=${'ghp'}_${'0'.repeat(36)}` },
  {
    name: 'GitHub Actions',
    make: () => `env:\n  TOKEN: \${{ secrets.DEPLOY_TOKEN }}\n  PASSWORD: \${{ secrets.DB_PASSWORD_2 }}`,
  },
  { name: 'Basic mention', make: () => 'Use Basic authentication, or Bearer authentication_token_from_login.' },
]
