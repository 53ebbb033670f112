#include <torno.h>
#include <stdio.h>
#include <string.h>
static void on_call(void*a, struct torno_call*c){ struct torno_text t=torno_call_arguments(c); printf("CALL %.*s %.*s turn %lu\n",(int)torno_call_tool(c).len,torno_call_tool(c).ptr,(int)t.len,t.ptr,(unsigned long)torno_call_turn(c)); torno_call_reply_text(c,"hi",2,false);}
static void on_ret(void*a,const struct torno_return*r){ printf("---- RETURN %s error %d\n%.*s\n%.*s\n", r->script_id,r->is_error,(int)r->text.len,r->text.ptr,(int)r->json.len,r->json.ptr); for(size_t i=0;i<r->n_calls;i++)printf("round %s %d %s\n",r->calls[i].tool,r->calls[i].is_refused,r->calls[i].cause?r->calls[i].cause:"");}
static void on_msg(void*a,struct torno_agent*g,const struct torno_message*m){printf("MESSAGE notice %d %.*s\n",m->is_notice,(int)m->text.len,m->text.ptr); torno_agent_delivered(g,m->script_id,true);}
int main(void){
 struct torno_host_options ho=TORNO_HOST_OPTIONS; ho.warden_path="build/torno-warden"; struct torno_host*h; if(torno_host_new(&ho,&h)){puts(torno_error());return 1;}
 struct torno_agent_options ao=TORNO_AGENT_OPTIONS; ao.on_message=on_msg; struct torno_agent*a; if(torno_agent_open(h,&ao,&a)){puts(torno_error());return 1;}
 struct torno_tool t=TORNO_TOOL; t.name="greet"; t.handlers.on_call=on_call; if(torno_agent_add_tool(a,&t))puts(torno_error());
 printf("%d %s\n",torno_agent_add_tool(a,&t),torno_error());
 const char*in[]={"{\"action\":\"run\",\"code\":\"text('x'); const r = await tools.greet({a:1.50}); return {r: r.text}\"}",
 "{\"action\":\"run\",\"code\":\"await wake_agent({a:1}); throw new TypeError('bad')\",\"yield_ms\":0}",
 "{\"action\":\"run\",\"code\":\"text('on'); await sleep(100); text('off')\",\"yield_ms\":50}", "{\"action\":\"list\"}","{\"action\":\"wait\",\"script_id\":\"nope\"}","{\"action\":\"rum\"}","{bad"};
 for(int i=0;i<7;i++){ torno_agent_call(a,in[i],strlen(in[i]),0,on_ret,NULL,NULL); torno_host_run(h);}
 torno_host_run(h);
 torno_agent_list(a,on_ret,NULL,NULL); torno_host_run(h);
 torno_agent_run(a,"while(true){}",13,NULL,100,0,on_ret,NULL,NULL);
 for(int i=0;i<200;i++) {torno_host_dispatch(h);struct timespec;usleep(1000);}
 printf("%s\n",torno_host_walls(h));
 torno_host_free(h); return 0;}
