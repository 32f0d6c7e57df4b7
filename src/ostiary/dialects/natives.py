"""Native tool names of all agents, which every hook knows though it imports the table of one agent alone.

Written by `tools/native_names.py`.
"""

from __future__ import annotations

from typing import Final

NATIVES: Final[dict[str, tuple[str, str]]] = {
    "claude-code": (
        "Bash=bash PowerShell=powershell Monitor=monitor Read=read_file Write=write_file Edit=edit_file "
        "MultiEdit=edit_file NotebookEdit=notebook_edit Glob=glob Grep=grep LS=list_directory "
        "WebFetch=web_scrape WebSearch=web_search Agent=agent Task=agent Skill=skill AskUserQuestion=ask_user "
        "EnterPlanMode=plan ExitPlanMode=plan TodoWrite=todo TaskCreate=todo TaskUpdate=todo TaskGet=todo "
        "TaskList=todo TaskOutput=wait_for BashOutput=wait_for TaskStop=cancel_background_job "
        "KillShell=cancel_background_job CronCreate=create_schedule CronList=list_schedules "
        "CronDelete=cancel_schedule EnterWorktree=worktree ExitWorktree=worktree "
        "SendMessage=send_message_to_agent ReadMcpResourceTool=read_mcp_resource "
        "ReadMcpResourceDir=read_mcp_resource ListMcpResourcesTool=list_mcp_resources",
        "Artifact LSP ListAgents PushNotification RemoteTrigger ReportFindings ScheduleWakeup SendUserFile "
        "ShareOnboardingGuide ToolSearch WaitForMcpServers Workflow",
    ),
    "codex": (
        "Bash=bash apply_patch=patch_apply view_image=view_image write_stdin=write_stdin grep_files=grep "
        "read_file=read_file list_dir=list_directory request_user_input=ask_user update_plan=todo "
        "list_mcp_resources=list_mcp_resources list_mcp_resource_templates=list_mcp_resources "
        "read_mcp_resource=read_mcp_resource collaborationspawn_agent=agent collaborationwait_agent=wait_for "
        "collaborationsend_message=send_message_to_agent collaborationfollowup_task=send_message_to_agent "
        "collaborationinterrupt_agent=cancel_background_job",
        "collaborationlist_agents create_goal get_goal update_goal",
    ),
    "cursor": (
        "Shell=bash Read=read_file Write=write_file StrReplace=edit_file Delete=delete_file Grep=grep "
        "Glob=glob LS=list_directory Task=agent WebFetch=web_scrape WebSearch=web_search TodoWrite=todo",
        "",
    ),
    "gemini-cli": (
        "run_shell_command=bash read_file=read_file write_file=write_file replace=edit_file glob=glob "
        "grep_search=grep search_file_content=grep list_directory=list_directory google_web_search=web_search "
        "web_fetch=web_scrape invoke_agent=agent activate_skill=skill ask_user=ask_user enter_plan_mode=plan "
        "exit_plan_mode=plan write_todos=todo read_mcp_resource=read_mcp_resource "
        "list_mcp_resources=list_mcp_resources list_background_processes=wait_for "
        "read_background_output=wait_for",
        "complete_task get_internal_docs read_many_files save_memory update_topic",
    ),
    "qwen-code": (
        "run_shell_command=bash read_file=read_file zoom_image=view_image write_file=write_file "
        "edit=edit_file replace=edit_file notebook_edit=notebook_edit glob=glob grep_search=grep "
        "search_file_content=grep list_directory=list_directory web_fetch=web_scrape web_search=web_search "
        "agent=agent task=agent skill=skill ask_user_question=ask_user enter_plan_mode=plan "
        "exit_plan_mode=plan todo_write=todo task_create=todo task_get=todo task_list=todo task_update=todo "
        "task_output=wait_for task_stop=cancel_background_job cron_create=create_schedule "
        "cron_list=list_schedules cron_delete=cancel_schedule enter_worktree=worktree exit_worktree=worktree",
        "get_goal list_agents lsp save_memory tool_call tool_search update_goal",
    ),
    "opencode": (
        "bash=bash shell=bash read=read_file write=write_file edit=edit_file apply_patch=patch_apply "
        "patch=patch_apply grep=grep glob=glob list=list_directory webfetch=web_scrape websearch=web_search "
        "task=agent subagent=agent skill=skill todowrite=todo question=ask_user plan_enter=plan "
        "plan_exit=plan",
        "execute invalid lsp models",
    ),
    "pi": (
        "bash=bash powershell=powershell read=read_file write=write_file edit=edit_file grep=grep find=glob "
        "ls=list_directory",
        "codemode tool_search",
    ),
    "cline": (
        "run_commands=bash read_files=read_file editor=edit_file search_codebase=grep "
        "fetch_web_content=web_scrape ask_question=ask_user spawn_agent=agent execute_command=bash "
        "write_to_file=write_file read_file=read_file search_files=grep",
        "team_spawn_teammate team_shutdown_teammate team_status team_task team_run_task team_cancel_run "
        "team_list_runs team_await_runs team_send_message team_broadcast team_read_mailbox team_mission_log "
        "team_cleanup team_create_outcome team_attach_outcome_fragment team_review_outcome_fragment "
        "team_finalize_outcome team_list_outcomes",
    ),
    "amp": (
        "Bash=bash shell_command=bash async_shell_command=bash Read=read_file create_file=write_file "
        "edit_file=edit_file read_web_page=web_scrape web_search=web_search Grep=grep glob=glob Task=agent",
        "finder librarian oracle",
    ),
    "grok": (
        "run_terminal_command=bash run_terminal_cmd=bash Shell=bash monitor=monitor read_file=read_file "
        "search_replace=edit_file write=write_file apply_patch=patch_apply list_dir=list_directory grep=grep "
        "web_search=web_search web_fetch=web_scrape todo_write=todo spawn_subagent=agent "
        "get_command_or_subagent_output=wait_for kill_command_or_subagent=cancel_background_job "
        "ask_user_question=ask_user AskQuestion=ask_user enter_plan_mode=plan exit_plan_mode=plan "
        "scheduler_create=create_schedule scheduler_list=list_schedules scheduler_delete=cancel_schedule",
        "image_edit image_gen image_to_video reference_to_video search_tool send_feedback update_goal "
        "use_tool workflow",
    ),
    "zcode": (
        "Bash=bash Read=read_file Write=write_file Edit=edit_file Glob=glob Grep=grep WebFetch=web_scrape "
        "WebSearch=web_search Agent=agent Task=agent Skill=skill TodoWrite=todo AskUserQuestion=ask_user "
        "EnterPlanMode=plan ExitPlanMode=plan TaskOutput=wait_for TaskStop=cancel_background_job "
        "ApplyPatch=patch_apply",
        "",
    ),
    "afk": (
        "bash=bash read_file=read_file view_image=view_image extract_document=extract_document "
        "write_file=write_file edit_file=edit_file patch_apply=patch_apply glob=glob "
        "list_directory=list_directory web_scrape=web_scrape web_request=web_request agent=agent "
        "wait_for=wait_for cancel_background_job=cancel_background_job create_schedule=create_schedule "
        "list_schedules=list_schedules cancel_schedule=cancel_schedule worktree=worktree "
        "send_message_to_agent=send_message_to_agent grep=grep skill=skill ask_question=ask_user",
        "browser_act browser_close browser_observe browser_open browser_screenshot clipboard_read "
        "clipboard_write compose config_get config_set get_facet get_runtime_state get_schedule_history "
        "json_query memory_search memory_update model_complete procedure_write read_witness search_witness "
        "send_telegram state_cas state_delete state_get state_put state_query terminal_font_size test_run "
        "workspace_publish workspace_query",
    ),
    "copilot-cli": (
        "bash=bash powershell=powershell view=read_file create=write_file edit=edit_file "
        "apply_patch=patch_apply grep=grep rg=grep glob=glob web_fetch=web_scrape web_search=web_search "
        "task=agent skill=skill ask_user=ask_user update_todo=todo read_bash=wait_for "
        "stop_bash=cancel_background_job Bash=bash Read=read_file Write=write_file Edit=edit_file",
        "fetch_copilot_cli_documentation list_agents list_bash read_agent session_store_sql sql write_agent",
    ),
    "factory-droid": (
        "Execute=bash Read=read_file Create=write_file Write=write_file Grep=grep Glob=glob "
        "WebFetch=web_scrape FetchUrl=web_scrape WebSearch=web_search Task=agent Skill=skill TodoWrite=todo "
        "TaskOutput=wait_for TaskStop=cancel_background_job Edit=edit_file ApplyPatch=patch_apply "
        "LS=list_directory",
        "ToolSearch",
    ),
    "vscode": (
        "run_in_terminal=bash read_file=read_file create_file=write_file editFiles=edit_file "
        "insert_edit_into_file=edit_file replace_string_in_file=edit_file apply_patch=patch_apply "
        "list_dir=list_directory grep_search=grep file_search=glob fetch_webpage=web_scrape runSubagent=agent "
        "manage_todo_list=todo get_terminal_output=wait_for",
        "",
    ),
    "goose": (
        "developer__shell=bash developer__write=write_file developer__edit=edit_file "
        "developer__text_editor=edit_file developer__tree=list_directory developer__read_image=view_image",
        "",
    ),
    "windsurf": (
        "run_command=bash write_code=edit_file read_code=read_file",
        "",
    ),
    "kiro": (
        "execute_bash=bash shell=bash fs_write=edit_file write=edit_file fs_read=read_file read=read_file "
        "grep=grep glob=glob",
        "use_aws",
    ),
    "antigravity": (
        "run_command=bash view_file=read_file write_to_file=write_file replace_file_content=edit_file "
        "multi_replace_file_content=edit_file list_dir=list_directory find_by_name=glob grep_search=grep "
        "read_url_content=web_scrape search_web=web_search invoke_subagent=agent",
        "",
    ),
}
"""By agent: its names of canonical tools as `native=canonical`, and the tools that it alone has."""
