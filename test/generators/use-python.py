"""Calls the service with the client that openapi-generator makes of docs/openapi.json: prints what came of it."""

import os

import annals_api
from annals_api import exceptions

configuration = annals_api.Configuration(host=os.environ["ANNALS_URL"], access_token=os.environ["ANNALS_KEY"])

with annals_api.ApiClient(configuration) as client:
    agent, runs, sessions = annals_api.AgentApi(client), annals_api.RunsApi(client), annals_api.SessionsApi(client)
    tasks, keys, stores = annals_api.TasksApi(client), annals_api.KeysApi(client), annals_api.DatastoresApi(client)

    ended = agent.run(annals_api.RunRequest(message="What is 6 x 7?"))
    print("ended", ended.status, ended.response)
    run = runs.get_run(ended.run_id)
    print("run", run.status, run.error, run.ended_at > run.created_at, run.usage.output_tokens > 0)
    page = runs.follow_run(ended.run_id)
    events = [item.data.actual_instance.actual_instance for item in page.items]
    print("events", [type(event).__name__ for event in events])
    print("text", [event.content for event in events if isinstance(event, annals_api.AgentResponseEvent)])
    print("messages", [(item.type, item.content) for item in sessions.list_messages(ended.session).items])
    print("session", sessions.list_sessions(limit=1).items[0].session == ended.session)

    later = annals_api.Schedule(schedule=annals_api.ScheduleSchedule(3600), message="later")
    accepted = agent.run(annals_api.RunRequest(message="Hello", background=True, schedules=[later]))
    print("accepted", accepted.status, len(accepted.task_ids))
    print("task", tasks.get_task(accepted.task_ids[0]).status, tasks.cancel_task(accepted.task_ids[0]).status)
    print("cancelled", runs.cancel_run(accepted.run_id).run_id == accepted.run_id)

    store = stores.create_datastore(annals_api.NewDatastore(name="Notes", type="documents"))
    document = stores.index_document(("notes.txt", b"The filter is changed every month."), store.datastore_id)
    print("document", document.status, document.warnings)
    found = stores.search_datastore(store.datastore_id, annals_api.Search(query="change the filter"))
    print("found", [(item.filename, item.page) for item in found.items])

    key = keys.create_api_key(annals_api.NewApiKey(name="reader", scopes=["read"]))
    print("key", key.scopes, keys.list_api_keys().items[0].expires_at)
    try:
        runs.get_run("run_none")
    except exceptions.NotFoundException as error:
        print("refused", error.status, error.data.code)
